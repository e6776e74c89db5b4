// Tokens of events, as ovni/packed.h describes them.
#pragma once

#include <cstdint>
#include <cstring>

#include "ovni/format.h"
#include "ovni/packed.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ovni::packed {

// The words of a payload.
using Words = uint32_t __attribute__((vector_size(OVNI_FORMAT_PAYLOAD_MAX)));

inline Words load_words(const uint8_t* from) {
    Words words;
    std::memcpy(&words, from, sizeof words);
    return words;
}

inline bool are_equal(Words some, Words others) {
#if defined(__SSE2__)
    constexpr int all = 0xffff;
    return _mm_movemask_epi8(
               _mm_cmpeq_epi8(reinterpret_cast<__m128i>(some), reinterpret_cast<__m128i>(others))) == all;
#else
    return std::memcmp(&some, &others, sizeof some) == 0;
#endif
}

// The key of a token: its head, and bits behind it.
using Key = uint64_t;
inline constexpr Key same_clock = Key{1} << 32, jumbo = Key{1} << 33;

inline uint32_t head_of(Key key) {
    return static_cast<uint32_t>(key);
}
// Bytes behind the event's header, data of jumbo events aside.
inline uint32_t payload_of(uint32_t head) {
    const auto flags = static_cast<uint8_t>(head);
    return ovni_format_is_jumbo(flags) ? 0 : ovni_format_payload(flags);
}

struct alignas(32) Token {
    Words difference;
    Key key;
    uint16_t head;  // its number
    uint8_t payload;
    int16_t centre;  // 16ths of a bit
};
static_assert(sizeof(Token) == 32);

// The number of the highest bit of a step, as far from the centre.
inline int distance_from(int16_t centre, int highest) {
    return highest - ((centre + 8) >> 4);
}
inline void move_centre(Token& token, int distance) {
    const int sign = (distance > 0 ? 1 : 0) - (distance < 0 ? 1 : 0);
    token.centre = static_cast<int16_t>(token.centre + OVNI_PACKED_CENTRE_STEP * sign);
}

}  // namespace ovni::packed
