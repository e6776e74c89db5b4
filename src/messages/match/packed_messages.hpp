// Messages, packed: in order they take 10 to 30 bytes each, where Message has 120. A message that is out of
// order begins a new run, which takes some 70 bytes more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/packed_numbers.hpp"
#include "messages/match/message.hpp"

namespace ovni {

class PackedMessages {
 public:
    using ComesBefore = bool (*)(const Message&, const Message&);

    explicit PackedMessages(ComesBefore comes_before) : comes_before_(comes_before) {}

    uint64_t size() const { return size_; }
    void add(const Message& message);
    // Merges all runs into one, so that later readers need no memory for each run. For a moment it takes the
    // memory of both.
    void merge_runs();

 private:
    friend class MessageReader;
    struct Run {
        PackedItems::Place begin;
        uint64_t messages = 0;
    };

    ComesBefore comes_before_;
    PackedItems items_;
    std::vector<Run> runs_;
    Message last_;
    uint64_t size_ = 0;
};

// Unpacks messages in order; those of equal places as they were added.
class MessageReader {
 public:
    // `messages` stay as they are while this reads.
    explicit MessageReader(const PackedMessages& messages);
    // Null at the end. Valid until the next call.
    const Message* next();

 private:
    struct Run {
        PackedItemsReader items;
        uint64_t left;
        Message message;  // that comes next
        void unpack();
    };
    bool comes_before(size_t a, size_t b) const;

    PackedMessages::ComesBefore comes_before_;
    std::vector<Run> runs_;
    std::vector<size_t> heap_;  // of runs; the one that was read last is at its front
    bool has_begun_ = false;
};

}  // namespace ovni
