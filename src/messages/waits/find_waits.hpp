// Finds the waits of a trace, on all ranks together: waits for messages on the ranks that send and receive
// them, waits at collectives on the rank that gets all ends of one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"
#include "messages/match/sent_messages.hpp"
#include "messages/match/stream_owners.hpp"
#include "messages/scan/found_ends.hpp"
#include "messages/scan/message_ends.hpp"
#include "messages/waits/waits.hpp"
#include "trace/clock_model.hpp"
#include "trace/trace.hpp"

namespace ovni {

// A sum of waits. Plain data.
struct WaitSum {
    static constexpr uint32_t no_process = UINT32_MAX;
    uint32_t process = 0, cause = no_process;  // in System
    uint32_t function = 0;                     // in mpi_function_rows
    WaitKind kind = WaitKind::none;
    uint16_t padding = 0;
    uint32_t site = 0, more_padding = 0;  // that the call comes from, as MpiCaller has it
    int64_t region = 0;                   // the innermost that the waiting thread is in; 0: none
    uint64_t times = 0, ns = 0;
    uint64_t certain = 0;  // ns that remain however wrong the clocks of nodes may be
};

struct CollectiveSummary {
    uint64_t collectives = 0;
    uint64_t incomplete = 0;   // some members are not recorded
    uint64_t unlike = 0;       // members call different functions: recordings do not fit together there
    uint64_t behind_gaps = 0;  // parts of members that did not record all before
};

struct WaitSummary {
    CollectiveSummary collectives;
    std::vector<WaitSum> sums;  // on rank 0, sorted
    std::vector<Wait> longest;  // on rank 0: 100 at most, the longest first
};

struct FoundWaits {
    Waits waits;  // of threads of this rank, by begin and stream
    WaitSummary summary;
    // Complete ones, each on one rank: its members stand together. Those of windows and files come last.
    Collectives collectives;
    Collectives world_calls;  // the same of MPI_Init and MPI_Finalize
};

// The sources that waits are found from. `sent`: messages whose sender this rank has; `regions`, `times`: of
// its threads and processes.
struct WaitSources {
    const SentMessages& sent;
    const Collectives& collectives;
    const Collectives& world_calls;
    const FoundObjects& objects;
    const std::vector<RegionChange>& regions;
    const std::vector<ProcessTimes>& times;
    const std::vector<ProbedReceive>& probed;
};
FoundWaits find_waits(const Ranks& ranks, const Trace& trace, const System& system, const ClockModel& clocks,
                      const StreamOwners& owners, const WaitSources& sources);

}  // namespace ovni
