#include "ring/directories.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <optional>
#include <vector>

#include "core/foreign_link.hpp"
#include "ovni.h"
#include "ring/diagnostics.hpp"
#include "ring/first_root.hpp"
#include "ring/posix_io.hpp"

namespace ovni::writer {
namespace {

// The working directory may change before the last stream is opened.
std::string absolute(const char* path) {
    if (path[0] == '/') return path;
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) return path;
    return std::string(here) + (here[1] ? "/" : "") + path;
}

// A file that is being written does not count.
std::optional<std::vector<std::string>> stream_files(const std::string& path) {
    DIR* directory = opendir(path.c_str());
    if (!directory) return std::nullopt;
    std::vector<std::string> names;
    while (const dirent* entry = readdir(directory)) {
        std::string name = entry->d_name;
        if (name.starts_with("stream.") && !name.ends_with(being_written)) names.push_back(std::move(name));
    }
    closedir(directory);
    return names;
}

bool is_directory(const std::string& path) {
    const PathAt at = from_first_root(path.c_str());
    struct stat status {};
    if (fstatat(at.directory, at.path, &status, 0) != 0) return false;
    if (!S_ISDIR(status.st_mode)) errno = ENOTDIR;
    return S_ISDIR(status.st_mode);
}

int make_one(const std::string& path) {
    const PathAt at = from_first_root(path.c_str());
    return mkdirat(at.directory, at.path, 0755);
}

bool make_each(const std::string& path) {
    // All threads but the first find the parents there.
    if (make_one(path) == 0 || errno == EEXIST) return is_directory(path);
    for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
        std::string part = path.substr(0, at);
        if (make_one(part) != 0 && errno != EEXIST && errno != EISDIR) {
            // A parent that exists may still refuse, e.g. on a read-only mount.
            int error = errno;
            if (!is_directory(part)) {
                errno = error;
                return false;
            }
        }
        if (at == std::string::npos) break;
    }
    return is_directory(path);
}

// True if a link of another user stands for the trace directory, or for one of its looms and what is in them.
bool leads_astray(std::string path) {
    for (bool is_inside = true; is_inside && path.size() > 1;) {
        while (path.size() > 1 && path.ends_with('/')) path.pop_back();
        if (is_foreign_link(path.c_str())) return true;
        const size_t slash = path.rfind('/');
        is_inside = path.find("/loom.") != path.npos && slash != path.npos;
        path.resize(slash == path.npos ? 0 : slash);
    }
    return false;
}

}  // namespace

Roots Roots::from_environment() {
    Roots roots;
    const char* trace = secure_getenv("OVNI_TRACEDIR");
    roots.trace = absolute(trace && *trace ? trace : OVNI_TRACEDIR);
    if (const char* temporary = secure_getenv("OVNI_TMPDIR"); temporary && *temporary)
        roots.temporary = absolute(temporary);
    return roots;
}

std::string process_directory(const std::string& root, const std::string& loom, int pid) {
    return root + "/loom." + loom + "/proc." + std::to_string(pid);
}

bool make_directory(const std::string& path) {
    constexpr int most_tries = 100;
    if (leads_astray(path)) return errno = ELOOP, false;
    for (int tried = 1; !make_each(path); ++tried)
        if (errno != ENOENT || tried == most_tries) return false;
    return true;
}

// All copies are whole before the first gets its name, and stream.json, which makes it a stream, is the last.
bool copy_stream(const std::string& from, const std::string& to) {
    constexpr const char* function = "copy_stream";
    constexpr const char* last = "stream.json";
    if (!make_directory(to)) complain(Trouble::move, function, "cannot make directory %s:", to.c_str());
    std::optional<std::vector<std::string>> names = stream_files(from);
    if (!names) {
        complain(Trouble::move, function, "cannot read directory %s:", from.c_str());
        return false;
    }
    std::ranges::partition(*names, [](const std::string& name) { return name != last; });
    for (const std::string& name : *names) {
        std::string source = from + "/" + name;
        if (copy_file(source, to + "/" + name + being_written)) continue;
        complain(Trouble::move, function, "cannot copy %s to %s:", source.c_str(), to.c_str());
        for (const std::string& copied : *names) ::unlink((to + "/" + copied + being_written).c_str());
        return false;
    }
    bool ok = true;
    for (const std::string& name : *names) {
        std::string target = to + "/" + name;
        ok = ok && ::rename((target + being_written).c_str(), target.c_str()) == 0;
    }
    if (!ok) complain(Trouble::move, function, "cannot rename files in %s:", to.c_str());
    return ok;
}

void remove_stream(const std::string& directory) {
    if (std::optional<std::vector<std::string>> names = stream_files(directory))
        for (const std::string& name : *names) ::unlink((directory + "/" + name).c_str());
    ::rmdir(directory.c_str());
}

void remove_empty(const std::string& root, std::string place) {
    for (; !place.empty(); place.resize(place.rfind('/'))) ::rmdir((root + place).c_str());
}

void remove_empty(const std::string& root, const std::string& loom, int pid) {
    remove_empty(root, process_directory("", loom, pid));
}

}  // namespace ovni::writer
