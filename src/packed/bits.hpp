// Columns of bits, as ovni/packed.h describes them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ovni::packed {

static_assert(std::endian::native == std::endian::little);

// Bits that a number below `count` needs.
inline uint32_t bits_below(uint32_t count) {
    return count <= 1 ? 0 : static_cast<uint32_t>(std::bit_width(count - 1));
}

// Writes 8 bytes at a time: as many behind the last one that is used have to be writable.
class BitWriter {
 public:
    explicit BitWriter(uint8_t* to) : to_(to) {}

    // At most 56 bits; those of `value` above are 0.
    void put(uint64_t value, uint32_t bits) {
        waiting_ |= value << count_;
        count_ += bits;
        std::memcpy(to_, &waiting_, sizeof waiting_);
        const uint32_t bytes = count_ / 8;
        to_ += bytes;
        waiting_ = bytes == sizeof waiting_ ? 0 : waiting_ >> (8 * bytes);
        count_ %= 8;
    }
    // At most 64 bits.
    void put_long(uint64_t value, uint32_t bits) {
        constexpr uint32_t half = 32;
        if (bits <= half) return put(value, bits);
        put(value & UINT32_MAX, half);
        put(value >> half, bits - half);
    }
    void put_gamma(uint32_t value) {
        const uint64_t more = uint64_t{value} + 1;
        const auto below = static_cast<uint32_t>(std::bit_width(more)) - 1;
        put(uint64_t{1} << below, below + 1);
        put(more ^ uint64_t{1} << below, below);
    }
    void put_word(uint32_t value) {
        const uint32_t zigzag = value << 1 ^ (value >> 31 == 0 ? 0 : UINT32_MAX);
        if (zigzag == 0) return put(0, 1);
        const auto below = static_cast<uint32_t>(std::bit_width(zigzag)) - 1;
        put(1 | below << 1, 6);
        put(zigzag ^ 1u << below, below);
    }
    // The end of the bytes that are used.
    uint8_t* end() {
        std::memcpy(to_, &waiting_, sizeof waiting_);
        return to_ + (count_ > 0 ? 1 : 0);
    }

 private:
    uint8_t* to_;
    uint64_t waiting_ = 0;
    uint32_t count_ = 0;  // bits in it, below 8 between calls
};

// Reads 8 bytes at a time, also behind the last one: see `overrun`.
class BitReader {
 public:
    // A caller that asks is_within() after each gamma, word, and number reads at most so far behind the end.
    static constexpr size_t overrun = 64;

    BitReader(const uint8_t* from, const uint8_t* end) : from_(from), end_(end) {}

    bool is_within() const { return from_ <= end_; }
    // 57 bits at least.
    uint64_t peek() const {
        uint64_t bits = 0;
        std::memcpy(&bits, from_, sizeof bits);
        return bits >> used_;
    }
    void skip(uint32_t bits) {
        used_ += bits;
        from_ += used_ / 8;
        used_ %= 8;
    }
    // At most 56 bits.
    uint64_t get(uint32_t bits) {
        const uint64_t value = peek() & ((uint64_t{1} << bits) - 1);
        skip(bits);
        return value;
    }
    // At most 64 bits.
    uint64_t get_long(uint32_t bits) {
        constexpr uint32_t half = 32;
        if (bits <= half) return get(bits);
        const uint64_t low = get(half);
        return low | get(bits - half) << half;
    }
    // Wrong numbers, with more than 32 zeros, give some number.
    uint32_t get_gamma() {
        constexpr uint32_t most = 32;
        const auto below = static_cast<uint32_t>(std::countr_zero(peek() | uint64_t{1} << most));
        skip(below + 1);
        return static_cast<uint32_t>((uint64_t{1} << below | get(below)) - 1);
    }
    uint32_t get_word() {
        if (get(1) == 0) return 0;
        const auto below = static_cast<uint32_t>(get(5));
        const uint32_t zigzag = static_cast<uint32_t>(get(below)) | 1u << below;
        return zigzag >> 1 ^ (zigzag % 2 == 0 ? 0 : UINT32_MAX);
    }

 private:
    const uint8_t *from_, *end_;
    uint32_t used_ = 0;  // bits of the first byte
};

}  // namespace ovni::packed
