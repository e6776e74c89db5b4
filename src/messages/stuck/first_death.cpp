#include "messages/stuck/first_death.hpp"

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
        if (!metadata.end || !metadata.end->clock || *metadata.end->by == "exec" || stream.is_running)
            continue;
        Death& death = by_process[{metadata.common->loom, metadata.process->pid}];
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

// True for signals that come to a job from outside.
bool is_request_to_end(int64_t signal) {
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

std::string process_name(const ProcessMetadata& process) {
    const std::string pid = fmt::format("process {}", process.pid);
    return process.rank ? fmt::format("rank {} ({})", *process.rank, pid) : pid;
}

bool lacks_ranks(const Trace& trace) {
    std::map<int, std::set<int>> ranks;  // by application
    std::map<int, int> sizes;
    for (const Stream& stream : trace.streams()) {
        if (!stream.metadata.process->rank || !stream.metadata.process->nranks) continue;
        ranks[stream.metadata.process->app_id.value_or(0)].insert(*stream.metadata.process->rank);
        sizes[stream.metadata.process->app_id.value_or(0)] = *stream.metadata.process->nranks;
    }
    return std::ranges::any_of(
        sizes, [&](const auto& of) { return ranks[of.first].size() < static_cast<size_t>(of.second); });
}

// A launcher may kill the caller, too, before it is gone.
const Death* first_abort(const std::vector<Death>& all, const Trace& trace, const Waiting& waiting) {
    const Death* first = nullptr;
    int64_t since = INT64_MAX;
    for (const WaitingCall& call : waiting.calls) {
        if (mpi_function_rows[call.function].name != "MPI_Abort" || call.since >= since) continue;
        const StreamMetadata& caller = trace.streams()[call.stream].metadata;
        const auto death = std::ranges::find_if(all, [&](const Death& one) {
            return one.of->common->loom == caller.common->loom && one.of->process->pid == caller.process->pid;
        });
        if (death != all.end()) first = &*death, since = call.since;
    }
    return first;
}

std::string sentence_of_abort(const Death& death) {
    const std::string code =
        death.is_exit() ? fmt::format(" with code {}", death.of->end->code) : std::string();
    return fmt::format("{} called MPI_Abort{}", process_name(*death.of->process), code);
}

// Empty if it may be that nothing happened. A program may exit wherever it wants to, if the others do not go
// on.
std::string sentence_of_first(const std::vector<Death>& all, const Trace& trace) {
    const Death& first = all.front();
    const StreamMetadata& thread = *first.of;
    const char* among = lacks_ranks(trace) ? ", of the ranks in this trace" : "";
    if (*thread.end->by == "signal") {
        const char* name = sigdescr_np(static_cast<int>(thread.end->code));
        return fmt::format("killed first{}: {}, by signal {} ({}){}", among, process_name(*thread.process),
                           thread.end->code, name ? name : "unknown",
                           is_request_to_end(thread.end->code)
                               ? ", which comes from outside: its launcher, ctrl-C or a time limit"
                               : "");
    }
    const bool is_sudden = thread.end->code != 0 || !std::ranges::all_of(all, &Death::is_exit) ||
                           std::ranges::any_of(trace.streams(), &Stream::is_running);
    if (!first.is_exit() || !is_sudden) return "";
    return fmt::format("ended first{}: {}, which exited with code {}", among, process_name(*thread.process),
                       thread.end->code);
}

}  // namespace

std::string first_death(const Trace& trace, const ClockModel& clocks, const Waiting& waiting) {
    const std::vector<Death> all = deaths(trace, clocks);
    if (all.empty()) return "";
    const Death& first = all.front();
    const auto is_later = [&](const Death& other) { return is_surely_before(first, other, clocks); };
    std::string sentence = std::ranges::all_of(all, is_later) ? sentence_of_first(all, trace) : "";
    const Death* abort = first_abort(all, trace, waiting);
    if (!abort) return sentence;
    const bool is_reaction = abort != &first && !sentence.empty() &&
                             !(first.of->end->by == "signal" && is_request_to_end(first.of->end->code));
    return (is_reaction ? sentence + "; " : "") + sentence_of_abort(*abort);
}

}  // namespace ovni
