// The processor's registers beyond the general ones.
#pragma once

#include <cstdint>

namespace ovni::code {

// The components for xsave that may be in use, but for the tiles of AMX, which we do not touch. They need
// less than 4096 bytes.
inline uint64_t extended_state() noexcept {
    constexpr uint64_t what_we_use = 0xe7;
    uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low | uint64_t{high} << 32) & what_we_use;
}

}  // namespace ovni::code
