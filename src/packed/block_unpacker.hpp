// Unpacks the columns of a block (ovni/packed.h). One unpacker serves many streams. Memory: some 2 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packed/bits.hpp"
#include "packed/token.hpp"

namespace ovni::packed {

struct PackedColumns {
    std::span<const uint8_t> tokens, lengths, lows;
    uint32_t events = 0;
    uint64_t first_clock = 0;
};

class BlockUnpacker {
 public:
    // Bytes behind the last column that may be read; their values do not count.
    static constexpr size_t slack_of_columns = BitReader::overrun;
    // Bytes behind the events that may be written.
    static constexpr size_t slack = 64;

    BlockUnpacker();

    // Writes the events, which have to be as many bytes as `to` has, without its slack. False if the columns
    // are none of such events; whatever they are, nothing else is read or written.
    bool unpack(const PackedColumns& columns, std::span<uint8_t> to);

 private:
    struct State;
    bool put(State& state, uint32_t token);
    bool put_expected(State& state, uint32_t count);
    bool take(State& state, uint32_t& token);
    bool take_new(State& state);
    bool take_data(State& state, uint32_t token);

    std::vector<Token> token_;                     // by number
    std::vector<uint32_t> heads_;                  // by number
    std::vector<Words> last_words_;                // by head
    std::vector<uint16_t> last_token_;             // by head: that stood last in column 1 by its number
    std::vector<std::vector<uint8_t>> last_data_;  // by head
    std::vector<uint16_t> token_of_;               // by event
};

}  // namespace ovni::packed
