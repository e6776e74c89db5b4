#include "base/outputs.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "base/error.hpp"

namespace ovni {

namespace fs = std::filesystem;

namespace {

// A directory that exists, under any name, and the path from there on.
struct Location {
    dev_t device = 0;
    ino_t directory = 0;
    fs::path rest;

    bool is_in(const Location& other) const {
        auto [mine, its] = std::mismatch(rest.begin(), rest.end(), other.rest.begin(), other.rest.end());
        return device == other.device && directory == other.directory && its == other.rest.end();
    }
};

Location location_of(const fs::path& path) {
    Location location;
    fs::path directory = resolved(path);
    for (;; directory = directory.parent_path()) {
        struct stat info {};
        bool is_there = ::stat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
        if (is_there) location.device = info.st_dev, location.directory = info.st_ino;
        if (is_there || directory == directory.parent_path()) return location;
        location.rest = location.rest.empty() ? directory.filename() : directory.filename() / location.rest;
    }
}

// Throws if the first output, a file, is in the way of the second one.
void expect_apart(const Output& file, const Location& of_file, const Output& other,
                  const Location& of_other) {
    if (!of_other.is_in(of_file)) return;
    if (of_file.is_in(of_other))
        throw UsageError(fmt::format("{} {} and {} {} are the same file", file.what, file.path.string(),
                                     other.what, other.path.string()));
    throw UsageError(fmt::format("{} {} is in the way of {} {}, which lies inside of it", file.what,
                                 file.path.string(), other.what, other.path.string()));
}

}  // namespace

fs::path resolved(const fs::path& path) {
    std::error_code fault;
    fs::path whole = fs::absolute(path, fault);
    if (fault) whole = path;
    fs::path canonical = fs::weakly_canonical(whole, fault);
    if (fault) canonical = whole.lexically_normal();
    return canonical.has_filename() ? canonical : canonical.parent_path();
}

bool is_inside(const fs::path& path, const fs::path& directory) {
    for (fs::path outer = resolved(path);; outer = outer.parent_path()) {
        std::error_code fault;
        if (fs::equivalent(outer, directory, fault) && !fault) return true;
        if (outer == outer.parent_path()) return false;
    }
}

void check_outputs(const std::vector<Output>& outputs, const std::vector<Input>& inputs) {
    std::vector<Location> locations, taken;
    for (const Output& output : outputs) locations.push_back(location_of(output.path));
    for (const Input& input : inputs) taken.push_back(location_of(input.path));
    for (size_t i = 0; i < outputs.size(); ++i) {
        const Output& output = outputs[i];
        if (output.kind == OutputKind::directory) continue;
        for (size_t j = 0; j < outputs.size(); ++j)
            if (j != i) expect_apart(output, locations[i], outputs[j], locations[j]);
        std::error_code fault;
        if (fs::is_directory(output.path, fault)) throw Error("is a directory", output.path);
        for (size_t j = 0; j < inputs.size(); ++j)
            if (locations[i].is_in(taken[j]))
                throw Error(fmt::format("{} would overwrite {} {}", output.what, inputs[j].what,
                                        inputs[j].path.string()),
                            output.path);
    }
}

}  // namespace ovni
