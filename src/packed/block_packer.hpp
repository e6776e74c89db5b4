// Packs events into the columns of a block (ovni/packed.h). One packer serves many streams, one block after
// the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "packed/bits.hpp"
#include "packed/packer_memory.hpp"
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

    explicit BlockPacker(PackerMemory& memory) : memory_(memory) {}

    // Packs whole events from the first one on: all, unless they have too many tokens or heads. At least one
    // event, and at most OVNI_PACKED_LARGEST_BLOCK bytes.
    Columns pack(std::span<const uint8_t> events);

 private:
    struct State;
    struct Found {
        uint32_t token = 0;
        bool is_new = false, has_new_head = false, has_room = true;
    };
    void begin();
    bool follow(State& state);
    bool take(State& state);
    Found find(State& state, Key key, Words words);
    void describe(State& state, const Found& found, Key key);
    void put_data(State& state, uint32_t head, const uint8_t* data, uint32_t size);
    void step(State& state, Token& token, uint64_t clock) const;
    void remember(State& state, uint32_t token);

    PackerMemory& memory_;
    uint32_t tokens_used_ = 0, heads_used_ = 0;  // by the last block
};

}  // namespace ovni::packed
