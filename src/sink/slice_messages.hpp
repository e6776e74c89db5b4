// The messages of slices, as outputs in the order of moments need them: among records, and with numbers.
#pragma once

#include <cstdint>
#include <span>

#include "base/ranks.hpp"
#include "messages/match/message_record.hpp"

namespace ovni {

// Calls take(message) for the messages before that moment, and takes them off the list.
template <class Take>
void take_messages_before(Moment until, std::span<const MessageRecord>& messages, Take take) {
    while (!messages.empty() && messages.front().moment() < until) {
        const MessageRecord& message = messages.front();
        messages = messages.subspan(1);
        take(message);
    }
}

// Numbers messages from 1, in the order of all slices.
class MessageNumbers {
 public:
    // Many ranks only; collective. The next number is that of the first message of this rank's slice.
    void share(const Ranks& ranks, uint64_t messages) {
        last_ = all_ + ranks.exscan(messages);
        all_ += ranks.allreduce(Op::sum, messages);
    }
    uint64_t last() const { return last_; }
    uint64_t next() { return ++last_; }

 private:
    uint64_t last_ = 0;
    uint64_t all_ = 0;  // of the slices before
};

}  // namespace ovni
