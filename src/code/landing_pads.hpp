// A second jump, placed so that the distance to it has given bytes.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace ovni::code {

// Bytes of a distance that are fixed, and their values.
struct FixedBytes {
    uint32_t mask = 0;
    uint32_t value = 0;
};

class LandingPads {
 public:
    static constexpr size_t pad_bytes = 5;

    LandingPads();
    // The place of a jump to `target`, which is less than 1 GiB from `from`. Its distance from `from` has
    // those bytes. 0 if there is no room for one.
    uintptr_t make(uintptr_t from, FixedBytes fixed, uintptr_t target) noexcept;

 private:
    static constexpr size_t chunk_bytes = size_t{64} << 10;
    static constexpr size_t most_chunks = 512;
    struct Chunk {
        uintptr_t begin;
        std::bitset<chunk_bytes> used;
    };
    uintptr_t make_in(Chunk& chunk, uintptr_t from, FixedBytes fixed, uintptr_t target) noexcept;
    static uintptr_t free_place(const Chunk& chunk, uintptr_t from, FixedBytes fixed) noexcept;
    Chunk* add_chunk(uintptr_t from, FixedBytes fixed) noexcept;

    Chunk* chunks_;
    size_t count_ = 0;
};

}  // namespace ovni::code
