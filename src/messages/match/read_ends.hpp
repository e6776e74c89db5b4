// Reads the streams of some looms for ends of messages, and what else matching has to know of their
// processes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/start.hpp"
#include "emu/plan/system.hpp"
#include "messages/calls/process_messages.hpp"
#include "trace/stream_reader.hpp"
#include "trace/trace.hpp"

namespace ovni {

// The members of a communicator as one of its processes lists them.
struct MemberList {
    uint64_t communicator = 0;
    uint32_t flags = 0, size = 0, world = 0, process = 0;
    std::vector<int32_t> members;  // ranks in that world; empty: those of the world
};

// Adds the lists that a process has recorded, of other communicators than MPI_COMM_WORLD and MPI_COMM_SELF.
void add_member_lists(const ProcessCommunicators& communicators, const ProcessFacts& process,
                      std::vector<MemberList>& lists);

// Bits: why a process may lack ends.
struct GapsOfProcess {
    static constexpr uint64_t pauses = 1;          // recording was off, and the ends meanwhile are counted
    static constexpr uint64_t losses = 2;          // any other gap
    static constexpr uint64_t ends_in_doubt = 4;   // it has pauses, and did not record MPI_Finalize
    static constexpr uint64_t without_events = 8;  // it has recorded nothing of MPI
    static constexpr uint64_t only_cut = 16;       // losses are all behind the end of what can be read
};

struct ReadEnds {
    std::vector<MessageEnds> found;  // of groups of processes, in their order
    std::vector<MemberList> members;
    std::vector<uint64_t> gaps;  // by process: GapsOfProcess
    std::vector<std::string> damages;
};

// The world of each process, as worlds() counts them.
std::vector<ProcessFacts> facts_of_processes(const System& system);

// `threads`: that read at a time.
ReadEnds read_ends(const Trace& trace, const System& system, const std::vector<bool>& mine,
                   const OpenStream& open, size_t threads);

}  // namespace ovni
