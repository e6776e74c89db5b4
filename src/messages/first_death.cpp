#include "messages/first_death.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/mpi_event.hpp"

namespace ovni {

namespace {

// A process that did not end its streams, and its latest corrected clock.
struct Death {
    const StreamMetadata* of = nullptr;
    int64_t clock = INT64_MIN;
    bool is_exit() const { return of->end->by == "exit"; }
};

std::vector<Death> deaths(const Trace& trace, const ClockModel& clocks) {
    std::map<std::pair<std::string, int>, Death> by_process;
    for (const Stream& stream : trace.streams()) {
        const StreamMetadata& metadata = stream.metadata;
        if (!metadata.end || !metadata.end->clock || metadata.end->by == "exec" || stream.is_running)
            continue;
        Death& death = by_process[{metadata.loom, metadata.pid}];
        const int64_t clock = clocks.of_stream(metadata).corrected(*metadata.end->clock);
        if (clock >= death.clock) death = {&metadata, clock};
    }
    std::vector<Death> all;
    for (const auto& [process, death] : by_process) all.push_back(death);
    std::ranges::sort(all, {}, &Death::clock);
    return all;
}

// Clocks of two hosts may have an error.
bool is_surely_before(const Death& one, const Death& other, const ClockModel& clocks) {
    if (host_of(*one.of) == host_of(*other.of)) return one.clock <= other.clock;
    const auto here = clocks.bound_of(*one.of), there = clocks.bound_of(*other.of);
    return here && there && other.clock - one.clock > *here + *there;
}

// These come to a job from outside of it.
bool is_request_to_end(int64_t signal) {
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

std::string name_of(const StreamMetadata& process) {
    const std::string pid = fmt::format("process {}", process.pid);
    return process.rank ? fmt::format("rank {} ({})", *process.rank, pid) : pid;
}

bool lacks_ranks(const Trace& trace) {
    std::map<int, std::set<int>> ranks;  // by application
    std::map<int, int> sizes;
    for (const Stream& stream : trace.streams()) {
        if (!stream.metadata.rank || !stream.metadata.nranks) continue;
        ranks[stream.metadata.app_id.value_or(0)].insert(*stream.metadata.rank);
        sizes[stream.metadata.app_id.value_or(0)] = *stream.metadata.nranks;
    }
    return std::ranges::any_of(
        sizes, [&](const auto& of) { return ranks[of.first].size() < static_cast<size_t>(of.second); });
}

bool aborts(const StreamMetadata& process, const Trace& trace, const Waiting& waiting) {
    return std::ranges::any_of(waiting.calls, [&](const WaitingCall& call) {
        const StreamMetadata& caller = trace.streams()[call.stream].metadata;
        return caller.loom == process.loom && caller.pid == process.pid &&
               mpi_function_rows[call.function].name == "MPI_Abort";
    });
}

// A launcher may kill the caller, too, before it is gone.
std::string abort_of(const std::vector<Death>& all, const Trace& trace, const Waiting& waiting) {
    const auto aborting =
        std::ranges::find_if(all, [&](const Death& death) { return aborts(*death.of, trace, waiting); });
    if (aborting == all.end()) return "";
    const std::string code =
        aborting->is_exit() ? fmt::format(" with code {}", aborting->of->end->code) : std::string();
    return fmt::format("{} called MPI_Abort{}", name_of(*aborting->of), code);
}

}  // namespace

std::string first_death(const Trace& trace, const ClockModel& clocks, const Waiting& waiting) {
    const std::vector<Death> all = deaths(trace, clocks);
    if (std::string abort = abort_of(all, trace, waiting); !abort.empty()) return abort;
    if (all.empty()) return "";
    const Death& first = all.front();
    const auto is_later = [&](const Death& other) { return is_surely_before(first, other, clocks); };
    if (!std::ranges::all_of(all, is_later)) return "";
    const StreamMetadata& process = *first.of;
    const char* among = lacks_ranks(trace) ? ", of the ranks in this trace" : "";
    if (process.end->by == "signal") {
        const char* name = sigdescr_np(static_cast<int>(process.end->code));
        return fmt::format("killed first{}: {}, by signal {} ({}){}", among, name_of(process),
                           process.end->code, name ? name : "unknown",
                           is_request_to_end(process.end->code)
                               ? ", which comes from outside: its launcher, ctrl-C or a time limit"
                               : "");
    }
    // A program may exit wherever it wants to, but the others went on.
    const bool is_sudden = process.end->code != 0 || !std::ranges::all_of(all, &Death::is_exit) ||
                           std::ranges::any_of(trace.streams(), &Stream::is_running);
    if (!first.is_exit() || !is_sudden) return "";
    return fmt::format("ended first{}: {}, which exited with code {}", among, name_of(process),
                       process.end->code);
}

}  // namespace ovni
