// The messages of a trace on their way into its outputs: each waits until the event that sends it is
// emulated, and then until that time is final.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/plan/system.hpp"
#include "emu/records/record.hpp"
#include "messages/match/message.hpp"
#include "messages/match/message_record.hpp"
#include "trace/event_view.hpp"

namespace ovni {

class PendingMessages {
 public:
    // `messages`: of the streams that this rank emulates, by stream, time and offset. `origin`: of time.
    PendingMessages(const System& system, std::vector<Message> messages, int64_t origin);

    // Takes an event that was applied, at that time of the trace. Call in the order of events.
    void take(const EventView& event, int64_t time) {
        if (event.code.model() != 'M' || event.kind != EventView::Kind::event) return;
        const uint32_t next = next_[event.stream];
        if (next < messages_.size() && messages_[next].send_offset == event.offset) [[unlikely]]
            send(event, time);
    }
    // Moves those before that time to `to`, but for those after the end of the trace.
    void take_before(int64_t time, std::vector<MessageRecord>& to, Moment end);

 private:
    void send(const EventView& event, int64_t time);

    const System& system_;
    std::vector<Message> messages_;
    int64_t origin_;
    std::vector<uint32_t> next_;  // by stream, in messages_
    std::vector<MessageRecord> sent_;
};

}  // namespace ovni
