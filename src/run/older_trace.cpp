#include "run/older_trace.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/open_directory.hpp"
#include "base/temporary_output.hpp"
#include "ring/json_text.hpp"
#include "ring/posix_io.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

bool is_loom(const std::string& name) {
    return name.starts_with("loom.");
}

// The looms, and what our tools make of them; other things in the directory stay.
bool is_of_trace(const std::string& name) {
    const std::string_view extension = std::string_view(name).substr(std::min(name.rfind('.'), name.size()));
    const bool is_output = name.starts_with("thread.") || name.starts_with("cpu.") ||
                           name.starts_with("mpi.") || name.find("-breakdown.") != name.npos;
    const bool is_clocks = name == "clock-offsets.txt" || name == "clock-drift.txt" || name == "clocks.json";
    const bool is_paraver = extension == ".prv" || extension == ".pcf" || extension == ".row";
    return is_loom(name) || name == "cfg" || is_clocks || (is_output && is_paraver);
}

bool is_of_other_run(const fs::path& metadata, const std::string& run) {
    const std::optional<std::string> text = writer::read_text(metadata.string());
    const auto json = text ? writer::json_parse(text->c_str()) : std::nullopt;
    if (!json || !json->is_object() || !json->contains("ovni")) return false;
    const writer::Json& ovni = (*json)["ovni"];
    return ovni.is_object() && ovni.contains("run") && ovni["run"] != run;
}

bool holds_other_run(const fs::path& loom, const std::string& run) {
    std::error_code fault;
    for (fs::recursive_directory_iterator entry(loom, fault), end; !fault && entry != end;
         entry.increment(fault))
        if (entry->path().filename() == "stream.json" && is_of_other_run(entry->path(), run)) return true;
    return false;
}

bool is_older(const fs::path& directory, const std::string& run) {
    std::error_code fault;
    for (fs::directory_iterator entry(directory, fault), end; !fault && entry != end; entry.increment(fault))
        if (is_loom(entry->path().filename()) && holds_other_run(entry->path(), run)) return true;
    return false;
}

fs::path free_name(const std::string& directory) {
    std::error_code fault;
    int number = 1;
    while (fs::exists(fs::symlink_status(directory + "." + std::to_string(number), fault))) ++number;
    return directory + "." + std::to_string(number);
}

// Another user may put something else in the place of either directory meanwhile.
void move_parts(const fs::path& from, const fs::path& to) {
    const Fd source = open_directory(from), target = make_new_directory(to, to);
    const fs::path names = name_of_open(source, from);
    std::vector<std::string> parts;
    for (const fs::directory_entry& entry : fs::directory_iterator(names))
        if (is_of_trace(entry.path().filename())) parts.push_back(entry.path().filename());
    for (const std::string& part : parts)
        if (::renameat(source.get(), part.c_str(), target.get(), part.c_str()) != 0)
            throw system_error("cannot move it", from / part);
}

}  // namespace

bool appends_to_trace() {
    const char* append = std::getenv("OVNI_APPEND");
    return append && *append && std::string_view(append) != "0";
}

void move_older_trace(const std::string& directory, const std::string& run) {
    if (appends_to_trace() || !is_older(directory, run)) return;
    try {
        const fs::path to = free_name(directory);
        move_parts(directory, to);
        std::fprintf(stderr, "ovnirun: the older trace was moved to %s\n", to.c_str());
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "ovnirun: warning: cannot move the older trace away (%s): two runs mix in it\n",
                     fault.what());
    }
}

}  // namespace ovni::run
