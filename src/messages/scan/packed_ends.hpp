// The ends of one key that one process has recorded, packed: 6 to 15 bytes for each in traces of bench-trace
// and tests/apps/heat, where MessageEnd has 72.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/packed_numbers.hpp"
#include "messages/scan/message_ends.hpp"

namespace ovni {

// Compares the places of two ends among those of their key.
bool is_posted_before(const MessageEnd& a, const MessageEnd& b);

class PackedEnds {
 public:
    // Plain data, that ranks exchange.
    struct Facts {
        uint64_t ends = 0;
        uint64_t until_completed = 0;        // ends up to the last one that was seen to end, or freed
        uint64_t until_thread = UINT64_MAX;  // ends before the first one of a second thread
        int64_t complete_until = INT64_MAX;  // order of the first one that is behind a gap
        uint32_t first_stream = MessageEnd::no_stream;  // of those that were recorded
        uint32_t is_sorted = 1;                         // each is_posted_before() the next
    };

    PackedEnds() = default;
    PackedEnds(PackedEnds&&) noexcept = default;
    PackedEnds& operator=(PackedEnds&&) noexcept = default;
    // As ranks send them: see append_to().
    PackedEnds(const Facts& facts, std::span<const uint8_t> bytes) : facts_(facts), items_(bytes) {}

    void add(const MessageEnd& end);
    // Marks ends from this order on as behind a gap.
    void doubt_from(int64_t order);

    const Facts& facts() const { return facts_; }
    size_t bytes() const { return items_.bytes(); }
    void append_to(std::vector<uint8_t>& bytes) const { items_.append_to(bytes); }

 private:
    friend class EndsReader;
    Facts facts_;
    MessageEnd last_;
    PackedItems items_;
};

// Unpacks ends in the order in which they were added.
class EndsReader {
 public:
    // `ends` stays as it is while this reads.
    explicit EndsReader(const PackedEnds& ends)
        : ends_(&ends), items_(ends.items_), left_(ends.facts().ends) {}
    // False at the end.
    bool next(MessageEnd& end);

 private:
    const PackedEnds* ends_;
    PackedItemsReader items_;
    uint64_t left_;
    MessageEnd last_;
};

}  // namespace ovni
