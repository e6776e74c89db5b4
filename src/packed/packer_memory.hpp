// The memory of a BlockPacker: some 9 MiB of addresses, of which it uses what its blocks need, 2 MiB for
// usual ones. It is one mapping, since a packer may run in a program that has no memory left: then there is
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ovni/packed.h"
#include "packed/token.hpp"

namespace ovni::packed {

// The data of the last jumbo event with a head; they lie among the events that are packed.
struct JumboData {
    const uint8_t* data;
    uint32_t size;
};

// All zeros before the first block.
struct PackerMemory {
    static constexpr uint32_t hash_bits = 17, head_bits = 10, pair_bits = 13;
    static constexpr size_t most_events = size_t{OVNI_PACKED_LARGEST_BLOCK} / OVNI_FORMAT_EVENT_HEADER;
    // An event never takes more than twice its bytes in a column; a writer of bits goes on a little.
    static constexpr size_t column_bytes = size_t{2} * OVNI_PACKED_LARGEST_BLOCK + 64;

    Token tokens[OVNI_PACKED_MOST_TOKENS + 1];   // by number
    uint16_t by_hash[1 << hash_bits];            // number of the token + 1
    uint32_t used[OVNI_PACKED_MOST_TOKENS + 1];  // places in by_hash
    uint32_t head_keys[1 << head_bits];
    uint16_t head_numbers[1 << head_bits];            // number of the head in head_keys + 1
    uint32_t heads_used[OVNI_PACKED_MOST_HEADS + 1];  // places in head_keys
    Words last_words[OVNI_PACKED_MOST_HEADS + 1];     // by head
    uint16_t last_token[OVNI_PACKED_MOST_HEADS + 1];  // by head: that stood last in column 1 by its number
    JumboData last_data[OVNI_PACKED_MOST_HEADS + 1];  // by head
    uint16_t token_of[most_events + 2];               // by event
    uint32_t after_two[1 << pair_bits];               // an event that came after two tokens, by their hash
    uint8_t columns[3][column_bytes];
};
static_assert(OVNI_PACKED_MOST_HEADS < 1 << PackerMemory::head_bits &&
              OVNI_PACKED_MOST_TOKENS < 1 << PackerMemory::hash_bits);

struct UnmapPackerMemory {
    void operator()(PackerMemory* memory) const;
};
using PackerMemoryPointer = std::unique_ptr<PackerMemory, UnmapPackerMemory>;

// Null if there is no memory.
PackerMemoryPointer make_packer_memory();

}  // namespace ovni::packed
