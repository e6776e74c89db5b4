// The place of a wrapper's call in the program. Inline, so that both addresses are those of the wrapper
// itself.
#pragma once

namespace ovni::mpi {

struct Caller {
    const void* frame;    // of the wrapper
    const void* address;  // where the wrapper returns to
};

[[gnu::always_inline]] inline Caller caller_of_wrapper() noexcept {
    return {__builtin_frame_address(0), __builtin_return_address(0)};
}

}  // namespace ovni::mpi
