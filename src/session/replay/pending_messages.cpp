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

PendingMessages::PendingMessages(const System& system, SentMessages messages, int64_t origin)
    : system_(system), messages_(std::move(messages)), origin_(origin), next_(messages_.of_streams().size()) {
    for (size_t stream = 0; stream < next_.size(); ++stream) {
        const PackedMessages& of_stream = messages_.of_streams()[stream];
        if (of_stream.size() == 0) continue;
        next_[stream].reader = std::make_unique<MessageReader>(of_stream);
        next_[stream].advance();
    }
}

void PendingMessages::Next::advance() {
    message = reader->next();
    offset = message ? message->send_offset : UINT64_MAX;
}

// Takes all messages that the event sends.
void PendingMessages::send(const EventView& event, int64_t time) {
    for (Next& next = next_[event.stream]; next.offset == event.offset; next.advance()) {
        const Message& message = *next.message;
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
