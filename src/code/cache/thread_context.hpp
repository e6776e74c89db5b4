// The state of a thread in the code cache. Translated code reaches it by the segment register GS, so the
// places of the first members are part of that code, and of cache_switch.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "code/cache/cpu_counter.hpp"
#include "code/cache/crossings.hpp"
#include "ovni/control.h"

namespace ovni::code {

using Registers = ovni_control_registers;

// Those at the code that the calling thread reports.
inline constinit thread_local const Registers* shown_registers = nullptr;

struct alignas(64) ThreadContext {
    // Those of the program, while its thread is outside of translated code: rip is where it goes on.
    // Translated code keeps rax and rcx here as long as it needs the two for itself.
    Registers registers;
    int64_t left;        // instructions that the thread may execute before it asks again
    uint64_t target;     // of an indirect jump
    uint64_t host;       // where the thread goes on
    uint64_t own_stack;  // its upper end
    uint64_t is_resolving;
    uint64_t is_deferred;  // a signal came at a bad moment: all are blocked until the thread goes on
    uint64_t mask;         // of the program meanwhile
    ThreadContext* self;
    uint64_t saved_state;  // the components of the processor's extended state that are saved
    uint64_t stack_at_clone;
    uint64_t is_return;  // the indirect jump is a return from our code

    // Translated code does not know the rest.
    int64_t granted;     // what `left` was when the thread went on
    int thread;          // its number in the system
    uint32_t wishes;     // to ask again
    uint32_t answered;   // of these
    bool has_forked;     // its last system call makes a child with memory of its own
    bool is_inside;      // in translated code, or in the resolver
    bool is_limited;     // asks again soon, because others share its counts
    bool is_matching;    // looks for matching instructions
    CpuCounter counter;  // runs while the thread runs the program's own code
    bool is_stepping;    // comes back after one instruction, which is to be counted
    bool is_to_leave;    // for good
    bool has_vforked;    // a child may have used this context
    Crossings crossings, at_vfork;
};

namespace place_of {
inline constexpr int rax = offsetof(ThreadContext, registers.rax);
inline constexpr int rcx = offsetof(ThreadContext, registers.rcx);
inline constexpr int left = offsetof(ThreadContext, left);
inline constexpr int target = offsetof(ThreadContext, target);
inline constexpr int stack_at_clone = offsetof(ThreadContext, stack_at_clone);
inline constexpr int is_return = offsetof(ThreadContext, is_return);
}  // namespace place_of

}  // namespace ovni::code
