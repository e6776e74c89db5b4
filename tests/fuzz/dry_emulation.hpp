// A trace through the emulator without an output.
#pragma once

#include "emu/plan/start.hpp"
#include "emu/task_labels.hpp"
#include "session/check/end_checks.hpp"
#include "session/report/event_tally.hpp"
#include "session/salvage/dry_run.hpp"
#include "session/salvage/salvaged_trace.hpp"
#include "trace/merger.hpp"

namespace ovni::fuzz {

// Records that make no sense are told to `expect(bool)`. Throws the Error that ended the emulation
// afterwards.
template <class Expect>
void emulate(const Trace& trace, EnabledModels enabled, Expect expect,
             Breakdowns breakdowns = Breakdowns::yes) {
    System system(trace);
    Plan plan = make_plan(trace, system, enabled, breakdowns, unnamed_call_sites(trace));
    EventTally tally(system, plan);
    std::vector<StreamReader> readers;
    std::vector<int64_t> clocks;
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        clocks.push_back(no_clock);
        if (!trace.streams()[s].is_readable()) continue;
        readers.push_back(open_stream(trace, {}, s));
        clocks.back() = readers.back().first_clock().value_or(no_clock);
    }
    Emulator emulator(trace, system, plan, Strictness::tolerant, time_origin(trace, clocks),
                      Share::whole(system));
    Merger merger(std::move(readers));
    std::exception_ptr failure;
    try {
        while (const EventView* event = merger.next()) {
            emulator.apply(*event);
            tally.define(*event);
            tally.count({*event, event->clock});
        }
        faults_at_end(trace, emulator, Strictness::linter);
    } catch (const Error&) {
        failure = std::current_exception();
    }
    tally.finish(0);
    tally.counters();
    tally.locks();
    tally.mpi();
    int64_t last = 0;
    for (const Record& record : emulator.tracker().queue().take_before(INT64_MAX)) {
        expect(record.time >= last);
        last = record.time;
        expect(record.thread_row == Record::no_row || record.thread_row < system.threads().size());
        expect(record.cpu_row == Record::no_row || record.cpu_row < system.cpus().size());
    }
    if (failure) std::rethrow_exception(failure);
}

// The part of a trace that --keep-going leaves.
inline Trace good_part(const std::filesystem::path& directory) {
    std::vector<Damage> damages;
    std::vector<Stream> good;
    for (const std::string& path : find_streams(directory).streams)
        if (auto stream = salvage_stream(directory, path, Regions::as_they_are, damages))
            good.push_back(std::move(*stream));
    Trace trace = salvaged_trace(directory, std::move(good), EnabledModels::required, damages);
    salvage_events(trace, {}, damages);
    return trace;
}

}  // namespace ovni::fuzz
