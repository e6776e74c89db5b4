// The first reading of a trace: it finds all that a run has to know of the streams before it emulates them,
// with one look at each event. The emulation is the second and last reading.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "emu/plan/start.hpp"
#include "emu/plan/system.hpp"
#include "messages/scan/communicator_uses.hpp"
#include "messages/scan/found_ends.hpp"
#include "messages/scan/open_calls.hpp"
#include "messages/scan/open_waits.hpp"
#include "messages/scan/process_facts.hpp"
#include "messages/scan/recorded_calls.hpp"
#include "model/mpi_sums.hpp"
#include "trace/trace.hpp"

namespace ovni {

// The findings that a run asks for.
struct ScanFor {
    bool messages = false;    // of processes with a rank; with collectives, and times in MPI
    bool open_calls = false;  // at the ends of the streams
    bool open_waits = false;  // waits in POSIX threads, at the ends of the streams
    bool timeline = false;    // what mpi.prv needs: of processes with a rank, and the last clock of all

    bool is_nothing() const { return !messages && !open_calls && !open_waits && !timeline; }
};

// The reasons why a process may lack ends, as bits.
struct GapsOfProcess {
    static constexpr uint64_t pauses = 1;          // recording was off, and the ends meanwhile are counted
    static constexpr uint64_t losses = 2;          // any other gap
    static constexpr uint64_t ends_in_doubt = 4;   // it has pauses, and did not record MPI_Finalize
    static constexpr uint64_t without_events = 8;  // it has recorded nothing of MPI
    static constexpr uint64_t only_cut = 16;       // losses are all behind the end of what can be read
};

struct MpiTimeline {
    int64_t last_clock = 0;  // of any event
    std::vector<InitCall> init;
    std::vector<CommunicatorUse> uses;
    std::map<uint32_t, RecordedCalls> calls;  // by stream; those without an event are missing
};

// The results, of the processes that were read. Processes come in the order of System, group by group.
struct Scanned {
    std::vector<MessageEnds> ends;    // of groups of processes
    std::vector<MemberList> members;  // with `messages` or `timeline`
    std::vector<uint64_t> gaps;       // by process of the trace: GapsOfProcess
    std::vector<EndOfProcess> open_calls;
    std::vector<OpenWait> open_waits;  // by stream
    MpiTimeline timeline;
    std::set<std::string> damages;  // of streams, which end there
};

// The part of the trace to read, and how.
struct ScannedPart {
    std::vector<bool> processes;   // of System: true for each that is to be read
    std::vector<uint32_t> strays;  // streams of no process, whose clocks count for the timeline
    size_t threads = 1;            // that read at a time
    // The call sites of each stream, which live as long as this; empty: unknown.
    std::span<const MpiSites> sites = {};

    static ScannedPart all_processes(const System& system, size_t threads,
                                     std::span<const MpiSites> sites = {}) {
        return {std::vector<bool>(system.processes().size(), true), {}, threads, sites};
    }
};

Scanned scan(const Trace& trace, const System& system, const ScannedPart& part, const ScanFor& wanted,
             const OpenStream& open);

// True if the stream has events of MPI.
bool uses_mpi(const Stream& stream);
// True if there may be something to find: messages of processes with a rank and MPI; open calls and waits in
// a stream that its program did not end.
bool may_have_messages(const Trace& trace);
bool may_have_open_calls(const Trace& trace);
bool may_have_open_waits(const Trace& trace);

}  // namespace ovni
