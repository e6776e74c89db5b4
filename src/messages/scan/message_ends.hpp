// The two ends of messages, as the processes that send and receive them have recorded them, and their parts
// in collectives. Plain data, that ranks exchange. Times are corrected clocks, ns.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/table_memory.hpp"

namespace ovni {

// The messages between two processes that MPI keeps in order (MPI 4.1, 3.5). Ranks are those in the
// communicator, so that each process knows the key of its own ends.
struct MessageKey {
    uint64_t communicator = 0;  // id
    uint32_t scope = 0;         // number of the communicator, if several have this id; else 0
    uint32_t group = 0;         // of the sender, in an intercommunicator: 0 or 1
    int32_t sender = 0, receiver = 0;
    int32_t tag = 0;
    // A partitioned message is that of start number `start` of request number `made`, both from 1; 0: the
    // message is not partitioned.
    uint32_t made = 0, start = 0;
    uint32_t padding = 0;
    auto operator<=>(const MessageKey&) const = default;
};

// A send that took effect, or a receive that got a message; or a number of such ends that were not recorded.
struct MessageEnd {
    static constexpr uint64_t unknown_bytes = UINT64_MAX;
    static constexpr uint32_t no_stream = UINT32_MAX;
    static constexpr int64_t never = INT64_MAX;
    static constexpr uint16_t freed = UINT16_MAX;

    int64_t order = 0;       // place among the ends of its key: when it was posted, or its message was found
    int64_t posted = 0;      // the enter of the call that posts it
    int64_t left = 0;        // and its leave
    int64_t wait_begin = 0;  // the enter of the call that completes it; of a blocking one that call itself
    int64_t wait_end = never;
    uint64_t bytes = unknown_bytes;  // of ends that were not recorded: their number
    uint64_t offset = 0;             // of the event in its stream that posts it
    uint32_t stream = 0;
    uint32_t completed_in = no_stream;
    uint32_t key = 0;             // in a list of keys
    uint16_t function : 14 = 0;   // that posts it, in mpi_function_rows
    uint16_t behind_gap : 1 = 0;  // ends of this process before it may be missing
    uint16_t unrecorded : 1 = 0;
    uint16_t completed_by = 0;  // the function that completes it; of a receive that is not seen to end: freed

    bool has_ended() const { return wait_end != never; }
    // MPI_Request_free has let go of the receive, which takes its message unseen.
    bool is_freed() const { return !has_ended() && completed_by == freed; }
    // The call that it ended in was recorded.
    bool ended_in_call() const { return completed_in != no_stream; }
};
static_assert(sizeof(MessageEnd) == 72 && std::is_trivially_copyable_v<MessageEnd>);

// The part of one member in a collective.
struct CollectiveEnd {
    uint64_t communicator = 0;
    uint32_t scope = 0;
    uint32_t turn = 0;  // from 1: number of it on the communicator, or of the start of its request
    int64_t enter = 0, leave = 0;
    int64_t wait_begin = 0, wait_end = MessageEnd::never;  // the call that completes it
    uint64_t sent = 0, received = 0;
    uint64_t offset = 0;  // of its enter
    uint32_t stream = 0;
    uint32_t size = 0;  // members of the communicator; 0: unknown
    int32_t root = 0;   // see ovni/mpi_events.h
    int32_t rank = 0;   // of the member
    uint16_t function = 0;
    uint16_t completed_by = 0;
    uint32_t completed_in = MessageEnd::no_stream;
    uint32_t behind_gap = 0;
    uint32_t made = 0;  // of a persistent one: number of its request on the communicator
};
static_assert(std::is_trivially_copyable_v<CollectiveEnd>);

using Collectives = TableVector<CollectiveEnd>;

}  // namespace ovni
