// A message in the output: what ranks exchange and sinks write, next to the records of states. Plain data.
// (time, order) is the key among ranks, as that of a Record; at one key records come first.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emu/records/record.hpp"

namespace ovni {

struct MessageRecord {
    static constexpr int64_t no_request = INT64_MIN, never = INT64_MAX;

    int64_t time = 0;           // ns since the first event: the call that posts the send begins
    int64_t send_end = 0;       // and ends
    int64_t receive_begin = 0;  // the call that posts the receive begins
    int64_t receive_end = 0;    // the call that completes it ends
    // The call that completes the request of the send ends, if that was seen; a blocking send has no request.
    int64_t send_complete = no_request;
    uint64_t bytes = 0;
    uint64_t communicator = 0;                  // id
    uint32_t sender_row = 0, receiver_row = 0;  // threads
    int32_t tag = 0;
    uint32_t order = 0;

    Moment moment() const { return {time, order}; }
};
static_assert(sizeof(MessageRecord) == 72 && std::is_trivially_copyable_v<MessageRecord>);

}  // namespace ovni
