// The records that processes have of messages and collectives, and their times in MPI.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "messages/scan/call_times.hpp"
#include "messages/scan/message_ends.hpp"
#include "messages/scan/object_calls.hpp"
#include "messages/scan/packed_ends.hpp"

namespace ovni {

struct ProcessFacts {
    uint32_t process = 0;  // in System
    uint32_t world = 0;    // in worlds()
    int rank = 0;          // there
    int world_size = 0;    // 0: the process has no rank
};

// A key and the side that its process is on.
struct KeyOfProcess {
    enum class Side : uint32_t { sends, receives };
    MessageKey key;
    uint32_t process = 0;
    Side side = Side::sends;
    uint32_t is_inter = 0;  // key.group is still to be found
    auto operator<=>(const KeyOfProcess&) const = default;
};

// A thread entered or left a region of MPI_Pcontrol. A region may be open inside of itself.
struct RegionChange {
    enum class What : uint32_t { open, close };
    int64_t time = 0;
    int64_t region = 0;  // its value
    uint32_t stream = 0;
    What what = What::open;
};

// A receive whose message a probe of its process had found before: the call of the probe.
struct ProbedReceive {
    uint32_t stream = 0, probe_stream = 0;
    uint16_t function = 0;  // of the probe
    uint64_t offset = 0;    // of the event that posts the receive
    int64_t enter = 0, leave = 0;
};

// The time in which a process used MPI, and the calls of the thread that initialised it.
struct ProcessTimes {
    uint32_t process = 0, stream = 0;
    int64_t begin = 0, end = 0;  // MPI_Init ends, MPI_Finalize or the trace begins or ends
    CallTimes calls;             // between these, of the thread that called MPI_Init
    // The call sites of MPI_Init and MPI_Finalize, as MpiCaller has them.
    uint32_t init_site = 0, finalize_site = 0;
};

// The records of several processes, put together.
struct MessageEnds {
    std::vector<KeyOfProcess> keys;
    std::vector<PackedEnds> ends;  // by key
    Collectives collectives;
    // Calls of MPI_Init (turn 1) and of MPI_Finalize (turn 2) by all ranks of a world. A call behind a gap
    // was entered in the gap, before the time of its enter.
    Collectives world_calls;
    // Freed receives of any sender or tag, which is OVNI_MPI_ANY in the key. Each process lists each kind
    // once.
    std::vector<KeyOfProcess> freed;
    std::vector<RegionChange> regions;  // of the threads that initialised MPI
    std::vector<ProcessTimes> times;
    std::vector<ProbedReceive> probed;
    FoundObjects objects;
    uint64_t without_communicator = 0;  // ends of messages on communicators that nothing describes
};

}  // namespace ovni
