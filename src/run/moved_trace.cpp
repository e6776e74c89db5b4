#include "run/moved_trace.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/log.hpp"
#include "core/run_names.hpp"
#include "ring/posix_io.hpp"
#include "ring/stream_note.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

std::string run_of(const writer::Json& metadata) {
    const writer::Json::json_pointer run("/ovni/run");
    return metadata.contains(run) && metadata[run].is_string() ? metadata[run].get<std::string>() : "";
}

// Names of the runs of the streams in that trace.
std::set<std::string> runs_in(const fs::path& trace) {
    std::set<std::string> runs;
    std::error_code none;
    for (fs::recursive_directory_iterator entry(trace, none), end; entry != end; entry.increment(none)) {
        if (entry->path().filename() != "stream.json") continue;
        std::optional<std::string> text = writer::read_text(entry->path().string());
        std::optional<writer::Json> metadata = text ? writer::json_parse(text->c_str()) : std::nullopt;
        if (metadata) runs.insert(run_of(*metadata));
    }
    runs.erase("");
    return runs;
}

bool is_among(const std::string& run, const std::set<std::string>& runs) {
    return std::ranges::any_of(runs, [&](const std::string& one) { return are_of_one_run(one, run); });
}

std::string home_of(const std::string& run, const std::string& trace) {
    const std::set<std::string> there = runs_in(trace);
    if (there.empty() || is_among(run, there)) return trace;
    std::string stem = fs::path(trace + "/").lexically_normal().parent_path().string();
    std::error_code none;
    for (int number = 1;; ++number) {
        std::string place = stem + "." + std::to_string(number);
        if (!fs::exists(place, none) || is_among(run, runs_in(place))) return place;
    }
}

}  // namespace

std::vector<MovedTrace> follow_moved_traces(const writer::Session& session) {
    std::vector<MovedTrace> moved;
    std::string trace, home, run;
    uint32_t rings = session.header().rings.load();
    for (uint32_t number = 0; number < rings; ++number) {
        std::string path = session.note_path(number);
        std::optional<writer::StreamNote> note = writer::StreamNote::read(path);
        if (!note || note->roots.trace.empty() || run_of(note->metadata).empty()) continue;
        if (note->roots.trace != trace || run_of(note->metadata) != run) {
            trace = note->roots.trace;
            run = run_of(note->metadata);
            home = home_of(run, trace);
            if (home != trace) moved.push_back({trace, home, run});
        }
        if (home == trace) continue;
        note->roots.trace = home;
        if (!writer::replace_file(path, note->text())) log::error("{}: cannot be changed", path);
    }
    return moved;
}

void print_moved_traces(const std::vector<MovedTrace>& moved) {
    std::set<std::string> printed;
    for (const MovedTrace& one : moved)
        if (is_among(one.run, runs_in(one.to)) && printed.insert(one.to).second)
            log::info("{} holds another run, this one is in {}", one.from, one.to);
}

}  // namespace ovni::run
