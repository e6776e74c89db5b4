#include "session/check/end_checks.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "emu/plan/worlds.hpp"

namespace ovni {

namespace {

void check_life(std::vector<Fault>& faults, const Trace& trace, const Machine& machine) {
    for (const Thread* thread : living_at_end(trace, machine))
        faults.push_back(
            {thread->row, fmt::format("{}: thread {} is {} at the end, not Dead",
                                      trace.path_of(machine.system.threads()[thread->row].stream),
                                      thread->tid, run_state_names[static_cast<size_t>(thread->state())])});
}

// A thread that outlives its stream is still in its states, but not in MPI, which has ended.
void check_open_states(std::vector<Fault>& faults, const Trace& trace, const ModelPlan& model,
                       Machine& machine) {
    uint8_t linted = model.spec->linter_channel;
    if (linted == no_linter) return;
    for (const Thread& thread : machine.threads) {
        const size_t open = thread.channels[model.first_channel + linted].depth();
        const uint32_t stream = machine.system.threads()[thread.row].stream;
        const bool may_be_open = trace.streams()[stream].metadata.goes_on && model.spec->id != 'M';
        if (open == 0 || may_be_open) continue;
        faults.push_back(
            {thread.row, fmt::format("thread {} ended with {} open states of {} {}", thread.tid, open,
                                     model.spec->name, model.spec->channels[linted].name)});
    }
}

// A program that becomes another one ends its threads itself.
void check_ends(std::vector<Fault>& faults, const Trace& trace, const Machine& machine) {
    for (const Thread& thread : machine.threads) {
        uint32_t stream = machine.system.threads()[thread.row].stream;
        const auto& end = trace.streams()[stream].metadata.end;
        if (end && !(*end->by == "exec" && thread.state() == RunState::dead))
            faults.push_back(
                {thread.row, fmt::format("{}: the stream was not ended by the program (by {} {})",
                                         trace.path_of(stream), *end->by, end->code)});
    }
}

}  // namespace

std::vector<const Thread*> living_at_end(const Trace& trace, const Machine& machine) {
    std::vector<const Thread*> living;
    for (const Thread& thread : machine.threads) {
        const Stream& stream = trace.streams()[machine.system.threads()[thread.row].stream];
        if (thread.state() != RunState::dead && !stream.metadata.end) living.push_back(&thread);
    }
    return living;
}

std::vector<Fault> faults_at_end(const Trace& trace, Emulator& emulator, Strictness strictness) {
    std::vector<Fault> faults;
    Machine& machine = emulator.machine();
    check_life(faults, trace, machine);
    if (strictness == Strictness::linter) {
        for (const ModelPlan& model : emulator.plan().models)
            check_open_states(faults, trace, model, machine);
        check_ends(faults, trace, machine);
    }
    return faults;
}

std::vector<CrowdedCpu> crowded_cpus(Emulator& emulator, int64_t end) {
    emulator.tracker().finish(end);
    std::vector<CrowdedCpu> crowded;
    for (const Cpu& cpu : emulator.machine().cpus)
        if (cpu.crowded_times > 0) crowded.push_back({cpu.row, 0, cpu.crowded_times, cpu.crowded_ns});
    return crowded;
}

namespace {

// As the metadata names it, and in a sentence.
constexpr std::pair<std::string_view, std::string_view> causes_of_end[] = {
    {"signal", "by a signal"},
    {"recovered", "found after their process was gone"},
    {"exit", "at the exit of their process"},
    {"exec", "by an exec"},
};

std::string_view sentence_of_cause(std::string_view by) {
    const auto* known = std::ranges::find(causes_of_end, by, [](const auto& cause) { return cause.first; });
    return known == std::end(causes_of_end) ? by : known->second;
}

// "3 of 4 streams were not ended by their program (2 by a signal, 1 by an exec)"
std::string text_of_forced_ends(const Trace& trace) {
    std::map<std::string, size_t> causes;
    size_t ended = 0;
    for (const Stream& stream : trace.streams())
        if (stream.metadata.end && !stream.is_running) ++ended, ++causes[*stream.metadata.end->by];
    if (ended == 0) return "";
    std::string list;
    for (const auto& [cause, streams] : causes)
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", streams, sentence_of_cause(cause));
    return fmt::format("{} of {} streams were not ended by their program ({})", ended, trace.streams().size(),
                       list);
}

}  // namespace

void print(const EndChecks& checks, const Trace& trace, const System& system) {
    std::vector<Fault> faults = checks.faults;
    std::ranges::stable_sort(faults, {}, &Fault::thread_row);
    for (const Fault& fault : faults) log::error("{}", fault.what);
    std::vector<CrowdedCpu> crowded = checks.crowded;
    std::ranges::sort(crowded, {}, &CrowdedCpu::cpu_row);
    for (const CrowdedCpu& cpu : crowded)
        log::warn(
            "{} had more than one running thread: {} times, {:.3f} ms in all (shown as 'too many threads')",
            (*system.cpu_labels())[cpu.cpu_row], cpu.times, static_cast<double>(cpu.ns) * 1e-6);
    if (system.lacks_threads()) log::info("ovnicut has left threads out of this trace");
    warn_about_missing_ranks(system);
    for (size_t kind = 0; kind < Oddities::kinds; ++kind)
        if (uint64_t count = checks.oddities.counts()[kind]; count > 0)
            log::warn("{}", fmt::format(fmt::runtime(oddity_sentences[kind]), count));
    if (std::string lost = checks.lost.sentence(); !lost.empty()) log::warn("{}", lost);
    if (auto running = std::ranges::count_if(trace.streams(), &Stream::is_running); running > 0)
        log::warn(
            "{} of {} streams are of a program that is running still: they are as ovnirecover wrote them out",
            running, trace.streams().size());
    if (std::string ends = text_of_forced_ends(trace); !ends.empty())
        log::warn("{}: their last states last until then, or to their last event", ends);
}

void print(const std::vector<Burst>& all, const System& system) {
    constexpr double slow_ns = 100;
    for (const Burst& burst : std::span(all).first(std::min(all.size(), Bursts::most))) {
        const std::string& loom = system.looms()[system.threads()[burst.thread_row].loom].name;
        log::info("{} burst stats: median/avg/max = {:3.0f}/{:3.0f}/{:3.0f} ns", loom, burst.median,
                  burst.mean, burst.longest);
        if (burst.median > slow_ns)
            log::warn("{}: one event takes more than {:.0f} ns in the median", loom, slow_ns);
    }
    if (all.size() > Bursts::most) log::info("these are the first {} bursts, there are more", Bursts::most);
}

}  // namespace ovni
