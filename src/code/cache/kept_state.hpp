// The state of a thread in translated code when a signal comes (crossings.hpp). It is kept in the signal's
// frame until the handler returns, in words that neither the system nor the C library uses.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace ovni::code {

// Set if the thread was about to leave our code by a return.
inline constexpr uint64_t return_in_state = uint64_t{1} << 63;

inline void keep_state(ucontext_t& context, uint64_t state) noexcept {
    context.uc_mcontext.__reserved1[0] = state;
}

// 0: the thread was not in translated code.
inline uint64_t kept_state(const ucontext_t& context) noexcept {
    return context.uc_mcontext.__reserved1[0];
}

}  // namespace ovni::code
