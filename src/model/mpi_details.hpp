// The content of an event of the model mpi: its function, and the details that ovni/mpi_events.h lists.
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
    const MpiFunctionRow* function = nullptr;  // for enter and leave
    std::optional<int32_t> peer, tag, root;
    std::optional<uint32_t> object, request, count, how;
    std::optional<uint64_t> bytes;
};

// The details are missing if the payload has none, or has an unknown size.
MpiDetails mpi_details(EventCode code, std::span<const uint8_t> payload);

// " peer=1 tag=7 communicator=1", for enter and leave; empty if there are no details.
std::string describe_mpi_details(EventCode code, std::span<const uint8_t> payload);

// A communicator as one event of a member describes it; several events may list its members.
struct MpiCommunicator {
    uint32_t number = 0, flags = 0;
    uint64_t id = 0;
    int32_t rank = 0;
    uint32_t size = 0, remote_size = 0;
    uint32_t first = 0;            // place of members[0]
    std::vector<int32_t> members;  // in MPI_COMM_WORLD
};
// Reads the data of a jumbo event MXC; nothing if it is damaged.
std::optional<MpiCommunicator> mpi_communicator(std::span<const uint8_t> data);

// The activity of a process while nothing was recorded, from the jumbo events MXk, MXu and MXe. Each function
// reads the data of its event; nothing if it is damaged.
struct MpiUnrecorded {
    MpiCommunicator communicator;  // number, flags, id and rank
    int32_t peer = 0, tag = 0;
    uint32_t sends = 0, receives = 0;
};
struct MpiUnderWay {
    MpiCommunicator communicator;  // as above
    int32_t peer = 0, tag = 0;
    uint32_t request = 0;
};
struct MpiUnrecordedEnd {
    uint32_t request = 0, how = 0;
    int32_t peer = 0, tag = 0;
};
std::optional<MpiUnrecorded> mpi_unrecorded(std::span<const uint8_t> data);
std::optional<MpiUnderWay> mpi_under_way(std::span<const uint8_t> data);
std::optional<MpiUnrecordedEnd> mpi_unrecorded_end(std::span<const uint8_t> data);

}  // namespace ovni
