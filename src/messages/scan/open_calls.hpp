// Calls of MPI that have not ended when their streams end, with what they wait for: of a program that was
// killed, or is running still.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "calls/call_reader.hpp"

namespace ovni {

enum class AwaitedKind : uint8_t { send, receive, collective };

// A message or a collective that a call waits for. Peers are ranks in the communicator; see OVNI_MPI_ANY and
// what else ovni/mpi_events.h says.
struct Awaited {
    AwaitedKind kind = AwaitedKind::collective;
    int32_t peer = OVNI_MPI_ANY, tag = OVNI_MPI_ANY;
    uint64_t communicator = 0;  // id; 0: unknown
    uint64_t turn = 0;          // a collective: its number among those of its process on that communicator
    uint32_t function = 0;      // that began it, in mpi_function_rows
};

struct OpenCall {
    uint32_t stream = 0;
    uint32_t function = 0;           // in mpi_function_rows
    int64_t since = 0, until = 0;    // by the clock of the reader
    std::vector<Awaited> waits_for;  // empty if the trace does not record it
    bool needs_all = true;           // false: one of these is enough
};

// A process and its calls.
struct OpenProcess {
    uint32_t process = 0;  // in System
    bool is_finalizing = false;
    bool has_all_turns = true;  // false: some of its collectives may be missing, or out of order
    std::vector<OpenCall> calls;
};

// The end of a process: its calls, and its communicators with the collectives that it has entered.
struct EndOfProcess {
    OpenProcess open;
    ProcessCommunicators communicators;
    std::map<uint32_t, uint32_t> turns;  // by number of the communicator; without fences

    uint32_t turns_on(uint64_t communicator) const;  // by id
};

// Call after the last event. The result has open calls of streams that were read to their ends.
// `begins_inside`: the trace lacks what came before.
EndOfProcess end_of_process(uint32_t process, const CallReader& reader, bool begins_inside);

}  // namespace ovni
