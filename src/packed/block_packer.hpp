// Packs events into the columns of a block (ovni/packed.h). One packer serves many streams, one block after
// the other. Memory: some 4 MiB, and three times the largest block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packed/bits.hpp"
#include "packed/token.hpp"

namespace ovni::packed {

// Valid until the packer's next block.
struct Columns {
    std::span<const uint8_t> tokens, lengths, lows;
    size_t taken = 0;  // bytes of events
    uint32_t events = 0;
    uint64_t first_clock = 0, least_clock = 0, greatest_clock = 0;
};

class BlockPacker {
 public:
    // Bytes behind the events that may be read; their values do not count.
    static constexpr size_t slack = OVNI_FORMAT_PAYLOAD_MAX;

    BlockPacker();

    // Packs whole events from the first one on: all, unless they have too many tokens or heads. At least one
    // event, and at most OVNI_PACKED_LARGEST_BLOCK bytes.
    Columns pack(std::span<const uint8_t> events);

 private:
    struct State;
    struct Found {
        uint32_t token = 0;
        bool is_new = false, has_new_head = false, has_room = true;
    };
    void begin(size_t bytes);
    bool follow(State& state);
    bool take(State& state);
    Found find(State& state, Key key, Words words);
    void describe(State& state, const Found& found, Key key);
    void put_data(State& state, uint32_t head, const uint8_t* data, uint32_t size);
    void step(State& state, Token& token, uint64_t clock) const;
    void remember(State& state, uint32_t token);

    std::vector<uint8_t> tokens_, lengths_, lows_;
    std::vector<Token> token_;       // by number
    std::vector<uint16_t> by_hash_;  // number of the token + 1
    std::vector<uint32_t> used_;     // of by_hash_
    std::vector<uint32_t> head_key_;
    std::vector<uint16_t> head_number_;            // beside head_key_
    std::vector<uint32_t> heads_used_;             // of head_key_
    std::vector<Words> last_words_;                // by head
    std::vector<uint16_t> last_token_;             // by head: that stood last in column 1 by its number
    std::vector<std::vector<uint8_t>> last_data_;  // by head
    std::vector<uint16_t> token_of_;               // by event
    std::vector<uint32_t> after_two_;              // an event that came after two tokens, by their hash
};

}  // namespace ovni::packed
