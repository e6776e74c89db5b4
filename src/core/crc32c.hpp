// CRC32C (Castagnoli polynomial, reflected, begun and ended with all bits inverted, as in iSCSI, RFC 3720),
// in pieces of any size. Uses the processor's instruction if there is one, else tables; the results are
// equal. Needs no initialisation, allocates nothing and cannot fail.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ovni {

namespace crc32c_detail {

static_assert(std::endian::native == std::endian::little, "words are taken as bytes in ascending order");

// Polynomials of degree below 32 have the coefficient of x^31 in bit 0. Registers here are not inverted.
inline constexpr uint32_t polynomial = 0x82f63b78;

constexpr uint32_t times_x(uint32_t value) {
    return value >> 1 ^ (value & 1 ? polynomial : 0);
}

inline uint64_t load_word(const uint8_t* bytes) noexcept {
    uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// tables[k][b]: the register after byte b and k bytes of zeros.
using Tables = std::array<std::array<uint32_t, 256>, 8>;
inline constexpr Tables tables = [] {
    Tables made{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) value = times_x(value);
        made[0][byte] = value;
    }
    for (size_t k = 1; k < made.size(); ++k)
        for (size_t byte = 0; byte < 256; ++byte)
            made[k][byte] = made[k - 1][byte] >> 8 ^ made[0][made[k - 1][byte] & 0xff];
    return made;
}();

inline uint32_t by_tables(uint32_t state, const uint8_t* bytes, size_t size) noexcept {
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word = load_word(bytes) ^ state;
        uint32_t low = 0, high = 0;
        for (size_t i = 0; i < 4; ++i) {
            low ^= tables[7 - i][word >> (8 * i) & 0xff];
            high ^= tables[3 - i][word >> (32 + 8 * i) & 0xff];
        }
        state = low ^ high;
    }
    for (; size > 0; ++bytes, --size) state = state >> 8 ^ tables[0][(state ^ *bytes) & 0xff];
    return state;
}

#if defined(__x86_64__)

inline bool has_instruction() noexcept {
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

// The factor by which shifted() moves a register over `bytes` zeros, x^(8 bytes) modulo the polynomial, less
// the 33 places that the product and its reduction add.
constexpr uint32_t factor_of(size_t bytes) {
    uint32_t power = uint32_t{1} << 31;
    for (size_t i = 33; i < 8 * bytes; ++i) power = times_x(power);
    return power;
}

__attribute__((target("sse4.2,pclmul"))) inline uint32_t shifted(uint32_t state, uint32_t factor) noexcept {
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128(static_cast<int>(state)),
                                           _mm_cvtsi32_si128(static_cast<int>(factor)), 0);
    return static_cast<uint32_t>(_mm_crc32_u64(0, static_cast<uint64_t>(_mm_cvtsi128_si64(product))));
}

// The instruction takes a word per cycle, with a latency of three cycles: so three lanes of `lane` bytes are
// computed together.
template <size_t lane>
__attribute__((target("sse4.2,pclmul"))) inline uint32_t by_lanes(uint32_t state, const uint8_t*& bytes,
                                                                  size_t& size) noexcept {
    static_assert(lane % 8 == 0);
    constexpr uint32_t over_one = factor_of(lane), over_two = factor_of(2 * lane);
    for (; size >= 3 * lane; bytes += 3 * lane, size -= 3 * lane) {
        uint64_t first = state, second = 0, third = 0;
        for (size_t i = 0; i < lane; i += 8) {
            first = _mm_crc32_u64(first, load_word(bytes + i));
            second = _mm_crc32_u64(second, load_word(bytes + lane + i));
            third = _mm_crc32_u64(third, load_word(bytes + 2 * lane + i));
        }
        state = shifted(static_cast<uint32_t>(first), over_two) ^
                shifted(static_cast<uint32_t>(second), over_one) ^ static_cast<uint32_t>(third);
    }
    return state;
}

// Call only if has_instruction().
__attribute__((target("sse4.2,pclmul"))) inline uint32_t by_instruction(uint32_t state, const uint8_t* bytes,
                                                                        size_t size) noexcept {
    state = by_lanes<1024>(state, bytes, size);
    state = by_lanes<64>(state, bytes, size);
    uint64_t wide = state;
    for (; size >= 8; bytes += 8, size -= 8) wide = _mm_crc32_u64(wide, load_word(bytes));
    state = static_cast<uint32_t>(wide);
    for (; size > 0; ++bytes, --size) state = _mm_crc32_u8(state, *bytes);
    return state;
}

#else

inline bool has_instruction() noexcept {
    return false;
}
inline uint32_t by_instruction(uint32_t state, const uint8_t* bytes, size_t size) noexcept {
    return by_tables(state, bytes, size);
}

#endif

}  // namespace crc32c_detail

// The checksum of `bytes`, appended to bytes whose checksum is `before`; 0 if there are none.
inline uint32_t crc32c(std::span<const uint8_t> bytes, uint32_t before = 0) noexcept {
    using namespace crc32c_detail;
    return ~(has_instruction() ? by_instruction(~before, bytes.data(), bytes.size())
                               : by_tables(~before, bytes.data(), bytes.size()));
}

}  // namespace ovni
