// For whom a thread works in translated code. The program calls our functions; these call the C library for
// themselves, the function that they stand before, or functions of the program. A thread comes from our code
// to other code, and back, only by way of the resolver, which says so here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "code/cache/called_functions.hpp"
#include "code/cache/owner.hpp"

namespace ovni::code {

// All zero: in the program, and for it.
class Crossings {
 public:
    // The thread comes to translated code, or to another place in it, where nobody has called it.
    void begin(Owner there) noexcept;
    bool is_for_tracer() const noexcept { return is_for_tracer_; }

    struct Way {
        uint64_t address;
        Owner owner;
        uint64_t stack;  // the stack pointer there
        bool is_return;  // from our code; others are known by the stack
    };
    // True if the way leads from our code to other code, or back.
    bool go(const Way& way, const CalledFunctions& functions) noexcept;

    void begin_handler() noexcept;
    // The state before a handler holds again behind it.
    uint64_t state() const noexcept;  // never 0
    void set_state(uint64_t state) noexcept;

 private:
    // A call over the border whose end is awaited.
    struct Call {
        uint64_t stack;  // the place of its return address
        uint64_t function;
        bool is_ours;
        bool was_for_tracer;
    };
    static constexpr size_t most = 32;

    void enter(const Way& way) noexcept;
    void leave(const Way& way, const CalledFunctions& functions) noexcept;
    void add(const Call& call) noexcept;
    // The last call of ours, or of others, with a return address there; it and later ones are forgotten.
    const Call* end(bool is_ours, uint64_t stack) noexcept;

    bool is_in_our_code_;
    bool is_for_tracer_;
    uint32_t depth_;
    std::array<Call, most> calls_;
};

}  // namespace ovni::code
