// Blocks of packed streams (ovni/packed.h): made, recognised and unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ovni/packed.h"
#include "packed/block_packer.hpp"
#include "packed/block_unpacker.hpp"

namespace ovni::packed {

// Bytes of events that a block should have: larger ones gain little, and a damaged one costs more.
inline constexpr size_t usual_block = size_t{256} << 10;

// "ovni" and the version.
std::span<const uint8_t> file_header();
// True if a file that begins so is a packed stream.
bool is_packed(std::span<const uint8_t> header);

// Bytes of the whole block.
inline uint64_t size_of(const ovni_packed_header& header) {
    return sizeof header + (uint64_t{header.body} + 7) / 8 * 8;
}

// Writes blocks. One maker serves many streams.
class BlockMaker {
 public:
    struct Made {
        std::span<const uint8_t> block;  // valid until the next call
        size_t taken = 0;                // bytes of events
    };
    // Makes a block of whole events from the first one on: of all, unless they cannot be packed in one. They
    // stand as they are if that is shorter, or if there is no memory to pack them. Takes nothing if the first
    // event has 4 GiB or more. At least one event; BlockPacker::slack bytes behind them may be read.
    // `offset`: of the first one in the plain stream.
    Made make(std::span<const uint8_t> events, uint64_t offset);

 private:
    Made plain(std::span<const uint8_t> events, uint64_t offset);
    Made finish(ovni_packed_header header);

    bool has_memory();

    PackerMemoryPointer memory_;
    std::optional<BlockPacker> packer_;  // if there is memory
    std::vector<uint8_t> block_;
};

// The header at the beginning of these bytes, 64 at least. Nothing if no block can begin so.
std::optional<ovni_packed_header> read_header(std::span<const uint8_t> bytes);
// `block`: size_of(header) bytes.
bool is_intact(const ovni_packed_header& header, std::span<const uint8_t> block);
// Writes the events of an intact block. BlockUnpacker::slack_of_columns bytes behind the block may be read,
// BlockUnpacker::slack bytes behind `to`, which has header.events_bytes, may be written. False if the writer
// was wrong.
bool unpack(const ovni_packed_header& header, std::span<const uint8_t> block, BlockUnpacker& unpacker,
            std::span<uint8_t> to);

}  // namespace ovni::packed
