// What an event of the model mpi says of a call: its function, and the details that ovni/mpi_events.h lists.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/mpi_event.hpp"

namespace ovni {

struct MpiDetails {
    using Step = MpiStep;
    Step step = Step::other;
    const MpiFunctionRow* function = nullptr;  // of enter and leave
    std::optional<int32_t> peer, tag, root;
    std::optional<uint32_t> object, request, count, how;
    std::optional<uint64_t> bytes;
};

// A payload without details, or of another size than any has, leaves them out.
MpiDetails mpi_details(EventCode code, std::span<const uint8_t> payload);

// " peer=1 tag=7 communicator=1", of enter and leave; empty where there are none.
std::string describe_mpi_details(EventCode code, std::span<const uint8_t> payload);

// A communicator as its members tell it, in one event of several.
struct MpiCommunicator {
    uint32_t number = 0, flags = 0;
    uint64_t id = 0;
    int32_t rank = 0;
    uint32_t size = 0, remote_size = 0;
    uint32_t first = 0;            // place of members[0]
    std::vector<int32_t> members;  // in MPI_COMM_WORLD
};
// Of the data of a jumbo event MXC; nothing where it is damaged.
std::optional<MpiCommunicator> mpi_communicator(std::span<const uint8_t> data);

}  // namespace ovni
