#include "code/cache/cache_switch.hpp"

#include <cstddef>

#include "code/cache/thread_context.hpp"
#include "code/extended_state.hpp"

namespace ovni::code {

extern "C" {
[[gnu::visibility("hidden")]] extern const Request ovni_code_target_request;
constexpr Request ovni_code_target_request{RequestKind::target, 0, nullptr};
[[gnu::visibility("hidden")]] extern const char ovni_code_way_in[], ovni_code_check[], ovni_code_resume[],
    ovni_code_unblocked[], ovni_code_way_end[];
}

static_assert(offsetof(ThreadContext, registers.rdx) == 16 && offsetof(ThreadContext, registers.r8) == 56 &&
              offsetof(ThreadContext, registers.rsp) == 120 &&
              offsetof(ThreadContext, registers.rflags) == 128);
static_assert(place_of::rax == 0 && place_of::rcx == 8 && place_of::target == 152);
static_assert(offsetof(ThreadContext, host) == 160 && offsetof(ThreadContext, own_stack) == 168);
static_assert(offsetof(ThreadContext, is_resolving) == 176 && offsetof(ThreadContext, is_deferred) == 184);
static_assert(offsetof(ThreadContext, mask) == 192 && offsetof(ThreadContext, self) == 200);
static_assert(offsetof(ThreadContext, saved_state) == 208);

asm(R"(
    .pushsection .text
    .hidden ovni_code_enter, ovni_code_resolve, ovni_code_miss, ovni_code_run_natively
    .hidden ovni_code_handle_signal, ovni_code_resolve_request, ovni_code_choose_handler
    .globl ovni_code_enter, ovni_code_resolve, ovni_code_miss, ovni_code_run_natively, ovni_code_handle_signal
    .globl ovni_code_way_in, ovni_code_check, ovni_code_resume, ovni_code_unblocked, ovni_code_way_end

    # Its own place is known to the translation, which makes a request of it.
    .type ovni_code_run_natively, @function
ovni_code_run_natively:
    endbr64
    mov %rdi, %rax
    mov %rsi, %rdi
    jmp *%rax

    .type ovni_code_handle_signal, @function
ovni_code_handle_signal:
    endbr64
    push %rdi
    push %rsi
    push %rdx
    call ovni_code_choose_handler
    mov %rdx, %r8
    pop %rdx
    pop %rsi
    pop %rdi
    test %rax, %rax
    jz 1f
    test %r8, %r8
    jnz 2f
    jmp *%rax
1:  ret

ovni_code_way_in:
2:  mov %rax, %gs:152
    jmp 3f

    .type ovni_code_enter, @function
ovni_code_enter:
    popq %gs:152
3:  mov %rax, %gs:0
    lea ovni_code_target_request(%rip), %rax
    jmp ovni_code_resolve

ovni_code_miss:
    mov %gs:8, %rcx
    mov %rax, %gs:0
    lea ovni_code_target_request(%rip), %rax

ovni_code_resolve:
    mov %rcx, %gs:8
    mov %rdx, %gs:16
    mov %rbx, %gs:24
    mov %rbp, %gs:32
    mov %rsi, %gs:40
    mov %rdi, %gs:48
    mov %r8, %gs:56
    mov %r9, %gs:64
    mov %r10, %gs:72
    mov %r11, %gs:80
    mov %r12, %gs:88
    mov %r13, %gs:96
    mov %r14, %gs:104
    mov %r15, %gs:112
    mov %rsp, %gs:120
    mov %gs:168, %rsp
    pushfq
    popq %gs:128
    # No flag of the program that changes what the resolver does: alignment checks, direction, traps
    pushq $2
    popfq
    movq $1, %gs:176
    mov %rax, %rdi
)" OVNI_ROOM_FOR_EXTENDED_STATE R"(
    mov %gs:208, %eax
    mov %gs:212, %edx
    xsave64 (%rsp)
    call ovni_code_resolve_request
    mov %rax, %gs:160
    mov %gs:208, %eax
    mov %gs:212, %edx
    xrstor64 (%rsp)
    movq $0, %gs:176
ovni_code_check:
    cmpq $0, %gs:184
    jne 4f
    pushq %gs:128
    popfq
    mov %gs:120, %rsp
ovni_code_resume:
    mov %gs:16, %rdx
    mov %gs:24, %rbx
    mov %gs:32, %rbp
    mov %gs:40, %rsi
    mov %gs:48, %rdi
    mov %gs:56, %r8
    mov %gs:64, %r9
    mov %gs:72, %r10
    mov %gs:80, %r11
    mov %gs:88, %r12
    mov %gs:96, %r13
    mov %gs:104, %r14
    mov %gs:112, %r15
    mov %gs:8, %rcx
    mov %gs:0, %rax
    jmp *%gs:160
    # Signals that came at a bad moment are let in: the system puts their frames on the program's stack.
4:  movq $0, %gs:184
    mov %gs:200, %rsi
    add $192, %rsi
    mov $14, %eax
    mov $2, %edi
    xor %edx, %edx
    mov $8, %r10d
    mov %gs:120, %rsp
    syscall
ovni_code_unblocked:
    mov %gs:168, %rsp
    jmp ovni_code_check
ovni_code_way_end:
    .popsection
)");

Way way_at(uint64_t address) noexcept {
    auto at = [](const void* place) { return reinterpret_cast<uint64_t>(place); };
    if (address >= reinterpret_cast<uint64_t>(ovni_code_handle_signal) && address < at(ovni_code_way_in))
        return Way::begin;
    if (address < at(ovni_code_way_in) || address >= at(ovni_code_way_end)) return Way::none;
    if (address == at(ovni_code_unblocked)) return Way::out;
    if (address < at(ovni_code_check)) return Way::in;
    // Behind the jump, signals are blocked until ovni_code_unblocked.
    return address < at(ovni_code_resume) || address > at(ovni_code_unblocked) ? Way::before_out : Way::out;
}

uint64_t check_before_out() noexcept {
    return reinterpret_cast<uint64_t>(ovni_code_check);
}

}  // namespace ovni::code
