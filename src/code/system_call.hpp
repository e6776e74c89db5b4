// System calls without the C library, whose functions may have sites, set errno, and end at cancellation.
#pragma once

#include <cstdint>

namespace ovni::code {

// The result, or -errno.
template <class... Arguments>
long system_call(long number, Arguments... arguments) noexcept {
    static_assert(sizeof...(arguments) <= 6);
    const uint64_t given[6] = {(uint64_t)(arguments)...};
    register uint64_t fourth asm("r10") = given[3];
    register uint64_t fifth asm("r8") = given[4];
    register uint64_t sixth asm("r9") = given[5];
    long result = number;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(given[0]), "S"(given[1]), "d"(given[2]), "r"(fourth), "r"(fifth), "r"(sixth)
                 : "rcx", "r11", "memory");
    return result;
}

}  // namespace ovni::code
