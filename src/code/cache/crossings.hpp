// For whom a thread works in translated code. The program calls our functions. These call the C library for
// their own work, the real function that they replace, or functions of the program. A thread crosses between
// our code and other code only through the resolver, which records the crossing here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "code/cache/called_functions.hpp"
#include "code/cache/owner.hpp"

namespace ovni::code {

// All zero: in the program, working for it.
class Crossings {
 public:
    // Call when the thread enters translated code, or another place in it, without a call.
    void begin(Owner there) noexcept;
    bool is_for_tracer() const noexcept { return is_for_tracer_; }

    struct Way {
        uint64_t address;
        Owner owner;
        uint64_t stack;  // the stack pointer there
        bool is_return;  // a return from our code; other returns are found by the stack pointer
    };
    // True if the jump crosses between our code and other code.
    bool go(const Way& way, const CalledFunctions& functions) noexcept;

    void begin_handler() noexcept;
    // A handler saves the state; it is restored after the handler.
    uint64_t state() const noexcept;  // never 0
    void set_state(uint64_t state) noexcept;

 private:
    // A call that crossed the border and has not returned.
    struct Call {
        uint64_t stack;  // where its return address is
        uint64_t function;
        bool is_ours;
        bool was_for_tracer;
    };
    static constexpr size_t most = 32;

    void enter(const Way& way) noexcept;
    void leave(const Way& way, const CalledFunctions& functions) noexcept;
    void add(const Call& call) noexcept;
    // Finds the last call by our code, or by other code, with its return address at `stack`; removes it and
    // later ones.
    const Call* end(bool is_ours, uint64_t stack) noexcept;

    bool is_in_our_code_;
    bool is_for_tracer_;
    uint32_t depth_;
    std::array<Call, most> calls_;
};

}  // namespace ovni::code
