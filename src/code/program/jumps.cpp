#include "code/program/jumps.hpp"

#include <setjmp.h>

#include <atomic>

#include "code/real_function.hpp"

extern "C" {
void* __cxa_begin_catch(void* exception) noexcept;
[[noreturn]] void __longjmp_chk(jmp_buf buffer, int value) noexcept;
}

namespace ovni::code {

namespace {

constinit std::atomic<void (*)(uintptr_t)> jump_follower{nullptr};

void report_jump(uintptr_t stack_pointer) noexcept {
    if (auto* unwound = jump_follower.load(std::memory_order_acquire)) unwound(stack_pointer);
}

// The C library keeps it encrypted: rotated, and combined with a number of the process.
uintptr_t stack_pointer_in(const __jmp_buf_tag* buffer) noexcept {
    constexpr size_t place_of_rsp = 6;
    auto pointer = static_cast<uintptr_t>(buffer->__jmpbuf[place_of_rsp]);
    asm("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(pointer) : : "cc");
    return pointer;
}

}  // namespace

void follow_jumps(void (*unwound)(uintptr_t)) noexcept {
    jump_follower.store(unwound, std::memory_order_release);
}

}  // namespace ovni::code

using namespace ovni::code;

#pragma GCC visibility push(default)
extern "C" {

void* __cxa_begin_catch(void* exception) noexcept {
    // The stack pointer of the caller: above what it pushed and the return address of this call.
    constexpr uintptr_t pushed = 2 * sizeof(uintptr_t);
    report_jump(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) + pushed);
    return OVNI_REAL(__cxa_begin_catch)(exception);
}

void longjmp(jmp_buf buffer, int value) noexcept {
    report_jump(stack_pointer_in(buffer));
    OVNI_REAL(longjmp)(buffer, value);
    __builtin_unreachable();
}

void _longjmp(jmp_buf buffer, int value) noexcept {
    report_jump(stack_pointer_in(buffer));
    OVNI_REAL(_longjmp)(buffer, value);
    __builtin_unreachable();
}

void siglongjmp(sigjmp_buf buffer, int value) noexcept {
    report_jump(stack_pointer_in(buffer));
    OVNI_REAL(siglongjmp)(buffer, value);
    __builtin_unreachable();
}

void __longjmp_chk(jmp_buf buffer, int value) noexcept {
    report_jump(stack_pointer_in(buffer));
    OVNI_REAL(__longjmp_chk)(buffer, value);
    __builtin_unreachable();
}

}  // extern "C"
#pragma GCC visibility pop
