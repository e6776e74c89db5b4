// ovnidump --partners: the other end of a message, for the events at which its ends were posted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/plan/rank_names.hpp"
#include "emu/plan/system.hpp"
#include "messages/match/find_messages.hpp"
#include "trace/event_view.hpp"
#include "trace/trace.hpp"

namespace ovni {

class MessagePartners {
 public:
    // Matches the messages of `whole`, of which `shown` is a part or all. `open` opens streams; their clocks,
    // counted from `zero`, are those of texts. Throws Error.
    MessagePartners(const Trace& whole, const Trace& shown, int64_t zero, const OpenStream& open);

    // " -> rank 1 PATH at CLOCK" for a send: the receiver, and when it had the message. " <- rank 0 PATH at
    // CLOCK" for a receive: the sender, and when it began to send. Both for a call that does both. Streams of
    // events are those of `shown`.
    std::string text(const EventView& event) const;

 private:
    std::string end_text(const char* arrow, uint32_t stream, int64_t clock) const;

    const Trace& whole_;
    const int64_t zero_;
    System system_;
    const RankNames names_{system_};
    std::vector<uint32_t> stream_of_shown_;  // in `whole`
    std::vector<Message> messages_;          // by stream and offset of the send
    std::vector<uint32_t> receives_;         // in messages_, by stream and offset of the receive
};

}  // namespace ovni
