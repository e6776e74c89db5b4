// A message: a send and the receive that took it. Plain data, that ranks exchange. Times are ns, by corrected
// clocks or since the origin of the trace.
#pragma once

#include <cstdint>
#include <type_traits>

#include "messages/scan/message_ends.hpp"

namespace ovni {

// The part of a message that decides how long its receiver waits.
struct Arrival {
    int64_t send_posted = 0, receive_posted = 0;  // the enter of the call that posts it
    // The call that completes it; MessageEnd::never: none.
    int64_t receive_wait_begin = 0, receive_wait_end = 0;
    uint64_t send_offset = 0, receive_offset = 0;  // of the event that posts it
    uint32_t send_stream = 0, receive_stream = 0;
    uint32_t receive_completed_in = 0;
    uint16_t receive_completed_by = 0;  // the function that completes it, in mpi_function_rows
    uint16_t receive_function = 0;      // that posts it
};
static_assert(sizeof(Arrival) == 64 && std::is_trivially_copyable_v<Arrival>);

struct Message : Arrival {
    int64_t send_left = 0;  // the leave of the call that posts it
    int64_t send_wait_begin = 0, send_wait_end = 0;
    uint64_t bytes = 0;  // MessageEnd::unknown_bytes if neither end has them
    uint64_t communicator = 0;
    uint32_t send_completed_in = 0;
    int32_t tag = 0;
    uint16_t send_function = 0, send_completed_by = 0;
    uint32_t padding = 0;  // ranks exchange no byte that was not set
};
static_assert(sizeof(Message) == 120 && std::is_trivially_copyable_v<Message>);

// An end of a message that has no partner.
struct UnmatchedEnd {
    MessageEnd end;
    uint64_t communicator = 0;
    int32_t peer = 0;  // rank in the communicator
    int32_t tag = 0;
    uint32_t is_send = 0;
    uint32_t cause = 0;  // an Unmatched
};
static_assert(std::is_trivially_copyable_v<UnmatchedEnd>);

}  // namespace ovni
