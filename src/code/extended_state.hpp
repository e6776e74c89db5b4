// The processor's registers beyond the general ones.
#pragma once

#include <cstdint>

// Assembler code that makes room for that state at the stack pointer; xrstor needs a header of zeros. Changes
// rax.
#define OVNI_ROOM_FOR_EXTENDED_STATE                  \
    "    sub $4096, %rsp\n"                           \
    "    and $-64, %rsp\n"                            \
    "    xor %eax, %eax\n"                            \
    "    .set place_in_header, 512\n"                 \
    "    .rept 8\n"                                   \
    "    mov %rax, place_in_header(%rsp)\n"           \
    "    .set place_in_header, place_in_header + 8\n" \
    "    .endr\n"

namespace ovni::code {

// The components for xsave that may be in use, except for the AMX tiles, which the library does not use.
inline uint64_t extended_state() noexcept {
    constexpr uint64_t what_we_use = 0xe7;
    uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low | uint64_t{high} << 32) & what_we_use;
}

}  // namespace ovni::code
