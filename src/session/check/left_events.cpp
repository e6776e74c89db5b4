#include "session/check/left_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/log.hpp"
#include "core/run_names.hpp"
#include "ring/session.hpp"
#include "ring/stream_note.hpp"

namespace ovni {

namespace fs = std::filesystem;

namespace {

bool is_same_directory(const fs::path& one, const fs::path& other) {
    std::error_code fault;
    if (fs::equivalent(one, other, fault)) return true;
    return fs::absolute(one, fault).lexically_normal() == fs::absolute(other, fault).lexically_normal();
}

// Streams that are there already; none if the directory is not.
struct Known {
    fs::path directory;
    std::set<std::string> runs;
    bool is_running = false;
};

// A directory keeps its name when MPI_Init moves an older trace out of it, the run does not.
bool is_of_trace(const writer::StreamNote& note, const Known& trace) {
    if (!is_same_directory(note.roots.trace, trace.directory)) return false;
    const auto ovni = note.metadata.find("ovni");
    const bool has_run = ovni != note.metadata.end() && ovni->is_object() && ovni->contains("run") &&
                         (*ovni)["run"].is_string();
    auto is_its_run = [&](const std::string& run) {
        return are_of_one_run(run, (*ovni)["run"].get_ref<const std::string&>());
    };
    return !has_run || trace.runs.empty() || std::ranges::any_of(trace.runs, is_its_run);
}

// A ring that its thread has closed is drained as the open ones are.
bool holds_events(const writer::RingHeader& ring) {
    const writer::RingState state = ring.state.load();
    return state == writer::RingState::open || state == writer::RingState::closed;
}

bool holds_events_of(const writer::Session& session, const Known& trace) {
    const uint32_t rings = session.header().rings.load();
    for (uint32_t number = 0; number < rings; ++number) {
        const writer::Ring ring = writer::Ring::open(session.ring_path(number));
        if (!ring.is_mapped() || !holds_events(ring.header())) continue;
        const std::optional<writer::StreamNote> note = writer::StreamNote::read(session.note_path(number));
        if (note && is_of_trace(*note, trace)) return true;
    }
    return false;
}

enum class Writer { none, ends, runs };

// Programs that write the trace: one whose processes have all ended is at work for a moment more, in its
// ovnirun.
Writer writer_of(const Known& trace) {
    Writer found = Writer::none;
    std::error_code fault;
    for (const std::string& directory : writer::in_session_places(fs::absolute(trace.directory, fault))) {
        const writer::Session session = writer::Session::open(directory);
        if (!session.is_valid() || !session.is_served() || !holds_events_of(session, trace)) continue;
        const uint32_t rings = session.header().rings.load();
        bool lives = false;
        for (uint32_t number = 0; number < rings && !lives; ++number) {
            const writer::Ring ring = writer::Ring::open(session.ring_path(number));
            lives = ring.is_mapped() && holds_events(ring.header()) && owner_lives(ring.header());
        }
        if (!lives) return Writer::ends;
        found = Writer::runs;
    }
    return found;
}

// A launcher returns before the last ovnirun has written its streams. A launcher that is killed leaves
// programs that run for a moment yet.
void await_writer(const fs::path& trace) {
    using namespace std::chrono_literals;
    constexpr std::chrono::milliseconds between = 20ms, silence = 500ms, for_living = 2s, longest = 10s;
    std::error_code fault;
    auto waited = 0ms;
    for (; waited < longest; waited += between) {
        const Writer writer = writer_of({trace, {}, false});
        const bool is_there = fs::exists(trace, fault);
        const bool is_worth_it =
            writer == Writer::ends || (writer == Writer::runs && !is_there && waited < for_living);
        if (!is_worth_it) return;
        if (waited == silence) log::info("waiting for a program that still writes {}", trace.string());
        std::this_thread::sleep_for(between);
    }
}

// Makes a sentence with one command for all run directories of a kind: each process of a job may have its
// own.
std::vector<std::string> left_events_of(const Known& trace) {
    std::vector<std::string> left, written;
    std::error_code fault;
    for (const std::string& directory : writer::in_session_places(fs::absolute(trace.directory, fault))) {
        const writer::Session session = writer::Session::open(directory);
        if (!session.is_valid() || !holds_events_of(session, trace)) continue;
        if (!session.is_served())
            left.push_back(directory);
        else if (!trace.is_running)
            written.push_back(directory);
    }
    std::vector<std::string> sentences;
    if (!left.empty())
        sentences.push_back(fmt::format(
            "events of programs that have ended wait on this node: ovnirecover {}", fmt::join(left, " ")));
    if (!written.empty())
        sentences.push_back(
            fmt::format("a program on this node still writes this trace: ovnirecover --write-out {}",
                        fmt::join(written, " ")));
    return sentences;
}

}  // namespace

std::vector<std::string> left_events(const Trace& trace) {
    Known known{trace.directory(), {}, false};
    for (const Stream& stream : trace.streams()) {
        if (stream.metadata.common->run) known.runs.insert(*stream.metadata.common->run);
        known.is_running = known.is_running || stream.is_running;
    }
    return left_events_of(known);
}

void warn_about_left_events(const Trace& trace) {
    for (const std::string& sentence : left_events(trace)) log::warn("{}", sentence);
}

void expect_begun(const fs::path& trace) {
    await_writer(trace);
    std::error_code fault;
    if (fs::exists(trace, fault) || fault) return;
    for (const std::string& sentence : left_events_of({trace, {}, false}))
        throw Error("there is no such directory yet; " + sentence, trace.string());
    throw Error("there is no such directory: name the one that ovnirun wrote", trace.string());
}

}  // namespace ovni
