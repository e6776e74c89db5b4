#include "code/patched_hit.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>

#include "code/extended_state.hpp"
#include "code/own_hits.hpp"
#include "code/own_stack.hpp"
#include "code/sites.hpp"
#include "code/system_call.hpp"
#include "ovni/private.h"

namespace ovni::code {

namespace {

ReportPatched report_patched;

extern "C" {
[[gnu::visibility("hidden")]] extern const char ovni_code_behind_patch[];
[[gnu::visibility("hidden")]] uint64_t ovni_code_state_of_patched = 0;
}

static_assert(offsetof(PatchedFrame, rbp) == 40 && offsetof(PatchedFrame, back) == 120);
static_assert(offsetof(PatchedFrame, site) == 136 && sizeof(PatchedFrame) == 272);
static_assert(sizeof(PatchedFrame) - offsetof(PatchedFrame, site) == below_stack_pointer);

asm(R"(
    .pushsection .text
    .hidden ovni_code_patched_site, ovni_code_behind_patch, ovni_code_count_patched, ovni_code_report_patched
    .hidden ovni_code_state_of_patched, ovni_code_own_stack, ovni_code_hold_signals, ovni_code_let_in_signals
    .globl ovni_code_patched_site, ovni_code_behind_patch

    .type ovni_code_patched_site, @function
ovni_code_patched_site:
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %r8
    push %r9
    push %r10
    push %r11
    mov %rax, %rdi
    lahf
    seto %al
    push %rax
    push %rbp
    mov %rsp, %rbp
    # The program's stack pointer
    lea 232(%rbp), %rsi
    and $-16, %rsp
    call ovni_code_count_patched
    test %eax, %eax
    jz 1f
    mov %rbp, %rsp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    # Direction, alignment checks and traps are those of a handler
    pushfq
    pushq $2
    popfq
    mov %rsp, %rbx
    and $-16, %rsp
    # The system puts frames of signals where the program's stack pointer is, so none may come elsewhere.
    call ovni_code_hold_signals
    mov %rax, %r13
    call ovni_code_own_stack
    test %rax, %rax
    cmovnz %rax, %rsp
    lea 8(%rbx), %rdi
)" OVNI_ROOM_FOR_EXTENDED_STATE R"(
    mov ovni_code_state_of_patched(%rip), %eax
    mov 4+ovni_code_state_of_patched(%rip), %edx
    xsave64 (%rsp)
    # The state in which handlers begin
    fninit
    pushq $0x1f80
    ldmxcsr (%rsp)
    pop %rax
    call ovni_code_report_patched
    mov ovni_code_state_of_patched(%rip), %eax
    mov 4+ovni_code_state_of_patched(%rip), %edx
    xrstor64 (%rsp)
    mov %rbx, %rsp
    and $-16, %rsp
    mov %r13, %rdi
    call ovni_code_let_in_signals
    mov %rbx, %rsp
    popfq
    mov -8(%rbp), %rbx
    mov -24(%rbp), %r13
1:  mov %rbp, %rsp
    pop %rbp
    pop %rax
    add $0x7f, %al
    sahf
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    ret

    # The stack holds rax, the site and the red zone.
ovni_code_behind_patch:
    int3
    .popsection
)");

// Those of libovni.so and libovni-code.so.
struct OwnCode {
    uintptr_t begin, end;
};
constinit OwnCode own_code[2] = {};

OwnCode own_code_of(uintptr_t address) noexcept {
    dl_find_object found{};
    if (::_dl_find_object(reinterpret_cast<void*>(address), &found) != 0) return {};
    return {reinterpret_cast<uintptr_t>(found.dlfo_map_start),
            reinterpret_cast<uintptr_t>(found.dlfo_map_end)};
}

}  // namespace

void prepare_patched_hits(ReportPatched report) noexcept {
    report_patched = report;
    ovni_code_state_of_patched = extended_state();
    own_code[0] = own_code_of(reinterpret_cast<uintptr_t>(::ovni_private_hit_site));
    own_code[1] = own_code_of(reinterpret_cast<uintptr_t>(ovni_code_patched_site));
}

bool is_own_code(uintptr_t address) noexcept {
    for (const OwnCode& code : own_code)
        if (address >= code.begin && address < code.end) return true;
    return false;
}

const Site* leave_patch(ucontext_t* context) noexcept {
    greg_t* registers = context->uc_mcontext.gregs;
    const uint64_t behind_int3 = reinterpret_cast<uint64_t>(ovni_code_behind_patch) + 1;
    if (static_cast<uint64_t>(registers[REG_RIP]) != behind_int3) return nullptr;
    auto* stack = reinterpret_cast<const uint64_t*>(registers[REG_RSP]);
    registers[REG_RAX] = static_cast<greg_t>(stack[0]);
    registers[REG_RSP] += static_cast<greg_t>(sizeof(PatchedFrame) - offsetof(PatchedFrame, rax));
    return reinterpret_cast<const Site*>(stack[1]);
}

extern "C" [[gnu::visibility("hidden")]] void ovni_code_report_patched(PatchedFrame* frame) {
    own_hits.is_reporting = true;
    const int saved = errno;
    if (report_patched(*frame->site, *frame))
        frame->back = reinterpret_cast<uint64_t>(ovni_code_behind_patch);
    errno = saved;
    own_hits.is_reporting = false;
}

}  // namespace ovni::code
