#include "session/replay/pending_messages.hpp"

#include <algorithm>
#include <utility>

#include "emu/records/record_queue.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

bool has_request(const Message& message) {
    const MpiRecord record = mpi_function_rows[message.send_function].record;
    return record != MpiRecord::Send && record != MpiRecord::Exchange;
}

int64_t send_complete(const Message& message, int64_t origin) {
    if (!has_request(message)) return MessageRecord::no_request;
    return message.send_wait_end == MessageEnd::never ? MessageRecord::never : message.send_wait_end - origin;
}

}  // namespace

PendingMessages::PendingMessages(const System& system, std::vector<Message> messages, int64_t origin)
    : system_(system),
      messages_(std::move(messages)),
      origin_(origin),
      next_(system.stream_count(), UINT32_MAX) {
    for (size_t m = messages_.size(); m-- > 0;) next_[messages_[m].send_stream] = static_cast<uint32_t>(m);
}

// All that the event sends.
void PendingMessages::send(const EventView& event, int64_t time) {
    uint32_t& next = next_[event.stream];
    for (; next < messages_.size(); ++next) {
        const Message& message = messages_[next];
        if (message.send_stream != event.stream || message.send_offset != event.offset) break;
        MessageRecord& record = sent_.emplace_back();
        record.time = time;
        record.send_end = message.send_left - origin_;
        record.receive_begin = message.receive_posted - origin_;
        record.receive_end = message.receive_wait_end - origin_;
        record.send_complete = send_complete(message, origin_);
        record.bytes = message.bytes;
        record.communicator = message.communicator;
        record.sender_row = system_.thread_of_stream(message.send_stream);
        record.receiver_row = system_.thread_of_stream(message.receive_stream);
        record.tag = message.tag;
        record.order = event.order;
    }
    if (next < messages_.size() && messages_[next].send_stream != event.stream) next = UINT32_MAX;
}

void PendingMessages::take_before(int64_t time, std::vector<MessageRecord>& to, Moment end) {
    const auto rest = std::ranges::partition_point(sent_, [&](const MessageRecord& record) {
        return record.time < time || time == RecordQueue::everything;
    });
    to.assign(sent_.begin(), rest);
    sent_.erase(sent_.begin(), rest);
    std::erase_if(to, [&](const MessageRecord& record) { return record.moment() > end; });
}

}  // namespace ovni
