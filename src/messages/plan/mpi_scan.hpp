// Reads streams for what mpi.prv has to know before the first event: its end, who calls MPI_Init, and the
// communicators of collectives.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/match/read_ends.hpp"

namespace ovni {

// The first collective of a process on one of its communicators.
struct CommunicatorUse {
    int64_t clock = 0;
    uint64_t offset = 0;  // of the event
    uint64_t id = 0;
    uint32_t stream = 0, process = 0;
    uint32_t number = 0;  // of the communicator, in the events of the process
    uint32_t flags = 0;
    int32_t rank = 0;  // of the process
    uint32_t padding = 0;
};
static_assert(std::is_trivially_copyable_v<CommunicatorUse>);

struct MpiScan {
    static constexpr int64_t never = INT64_MAX;

    int64_t last_clock = 0;
    std::vector<int64_t> init;  // by thread: when it calls MPI_Init
    std::vector<CommunicatorUse> uses;
    std::vector<MemberList> lists;
};

MpiScan scan_mpi(const System& system, std::vector<uint32_t> streams, const OpenStream& open);

}  // namespace ovni
