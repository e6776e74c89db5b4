// The messages of a rank, in the order of the streams, times and offsets of their sends.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "messages/match/packed_messages.hpp"

namespace ovni {

class SentMessages {
 public:
    SentMessages() = default;
    explicit SentMessages(size_t streams) {
        of_streams_.reserve(streams);
        while (of_streams_.size() < streams) of_streams_.emplace_back(is_sent_before);
    }

    uint64_t size() const { return size_; }
    void add(const Message& message) {
        of_streams_[message.send_stream].add(message);
        ++size_;
    }
    // Call once, after the last one.
    void sort() {
        for (PackedMessages& of_stream : of_streams_) of_stream.merge_runs();
    }
    // The messages of each stream.
    const std::vector<PackedMessages>& of_streams() const { return of_streams_; }
    // Calls take(message) for each, in order.
    template <class Take>
    void visit(Take take) const {
        for (const PackedMessages& of_stream : of_streams_) {
            MessageReader reader(of_stream);
            while (const Message* message = reader.next()) take(*message);
        }
    }
    std::vector<Message> all() const {
        std::vector<Message> messages;
        messages.reserve(size_);
        visit([&](const Message& message) { messages.push_back(message); });
        return messages;
    }

 private:
    static bool is_sent_before(const Message& a, const Message& b) {
        return std::tie(a.send_posted, a.send_offset) < std::tie(b.send_posted, b.send_offset);
    }

    std::vector<PackedMessages> of_streams_;
    uint64_t size_ = 0;
};

}  // namespace ovni
