// Facts about a trace besides its records, as tables for outputs that are made for analysis: rows, clocks,
// marks, gaps, versions. Equal on every rank, except for the gaps, which are those of the streams asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emu/plan/plan.hpp"
#include "emu/plan/system.hpp"
#include "emu/records/schema.hpp"
#include "session/report/event_tally.hpp"
#include "sink/facts.hpp"
#include "trace/clock_model.hpp"
#include "trace/salvage.hpp"

namespace ovni {

struct GapFact {
    static constexpr int64_t open = -1;
    uint32_t thread_row = 0;
    // Both in ns since the first event. A gap before it begins at 0.
    int64_t from = 0;
    int64_t to = 0;  // `open` if the gap lasts to the end of the stream
    uint64_t lost = 0;
    std::string reason;
};

// Sorts by rows, then times.
void sort(std::vector<GapFact>& gaps);

// The gaps in streams of threads of processes that are `mine`, sorted. Throws Error.
std::vector<GapFact> gaps_of(const Trace& trace, const System& system, const ClockModel& clocks,
                             int64_t origin, const std::vector<bool>& mine);

// The run of the trace, which has only one. Nothing if its writer does not name runs.
std::optional<std::string> run_of(const Trace& trace);
// Command lines of the processes, those of most streams first: the first 100.
std::vector<std::string> commands_of(const Trace& trace);
// Versions of libovni.
std::set<std::string> writers_of(const Trace& trace);

// `damages`: what was left out, if that was asked for. `tool`: what made the output, with its version.
// `origin`: corrected clock of the first event.
Facts facts_of(const Trace& trace, const System& system, const Plan& plan, const ClockModel& clocks,
               const std::string& tool, int64_t origin, int64_t duration, const std::vector<GapFact>& gaps,
               const std::optional<std::vector<Damage>>& damages);

// The sums of regions of MPI_Pcontrol, by process. `schema`: with the names of all regions.
Table regions_table(const std::vector<RegionCount>& regions, const Schema& schema);

}  // namespace ovni
