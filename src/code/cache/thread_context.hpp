// The state of a thread in the code cache. Translated code accesses it by the segment register GS, so the
// offsets of the first members are part of that code, and of cache_switch.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "code/cache/cpu_counter.hpp"
#include "code/cache/crossings.hpp"
#include "ovni/control.h"

namespace ovni::code {

using Registers = ovni_control_registers;

// The registers at the code that the calling thread reports.
inline constinit thread_local const Registers* shown_registers = nullptr;

struct alignas(64) ThreadContext {
    // The program's registers while its thread is outside of translated code: it continues at rip. Translated
    // code saves rax and rcx here while it uses them.
    Registers registers;
    int64_t left;        // instructions that the thread may execute before it calls the resolver again
    uint64_t target;     // of an indirect jump
    uint64_t host;       // where the thread continues in translated code
    uint64_t own_stack;  // its upper end
    uint64_t is_resolving;
    uint64_t is_deferred;  // a signal was deferred: all are blocked until the thread continues
    uint64_t mask;         // the program's signal mask meanwhile
    ThreadContext* self;
    uint64_t saved_state;  // the components of the processor's extended state that are saved
    uint64_t stack_at_clone;
    uint64_t is_return;  // the indirect jump is a return from our code

    // Translated code does not use the members below.
    int64_t granted;     // value of `left` when the thread continued
    int thread;          // thread id
    uint32_t wishes;     // number of requests to call the resolver
    uint32_t answered;   // number of those that were handled
    bool has_forked;     // its last system call makes a child with separate memory
    bool is_inside;      // in translated code, or in the resolver
    bool is_limited;     // `left` is small, because others share its counts
    bool is_matching;    // looks for matching instructions
    CpuCounter counter;  // runs while the thread runs the program's own code
    bool is_stepping;    // comes back after one instruction, which is counted
    bool is_to_leave;    // leaves translated code for good
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
