// The messages of a trace on their way into its outputs: each waits until the event that sends it is
// emulated, and then until that time is final.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emu/plan/system.hpp"
#include "emu/records/record.hpp"
#include "messages/match/message_record.hpp"
#include "messages/match/sent_messages.hpp"
#include "trace/event_view.hpp"

namespace ovni {

class PendingMessages {
 public:
    // `messages`: of the streams that this rank emulates. `origin`: the clock of time 0.
    PendingMessages(const System& system, SentMessages messages, int64_t origin);

    // Takes an event that was applied, at that time of the trace. Call in the order of events.
    void take(const EventView& event, int64_t time) {
        if (event.code.model() != 'M' || event.kind != EventView::Kind::event) return;
        if (next_[event.stream].offset == event.offset) [[unlikely]]
            send(event, time);
    }
    // Moves messages before `time` to `to`, except for those after `end`, the end of the trace.
    void take_before(int64_t time, std::vector<MessageRecord>& to, Moment end);

 private:
    void send(const EventView& event, int64_t time);

    const System& system_;
    SentMessages messages_;
    int64_t origin_;
    struct Next {
        uint64_t offset = UINT64_MAX;  // of the send
        const Message* message = nullptr;
        std::unique_ptr<MessageReader> reader{};
        void advance();
    };
    std::vector<Next> next_;  // by stream
    std::vector<MessageRecord> sent_;
};

}  // namespace ovni
