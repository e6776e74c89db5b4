#include "code/own_stack.hpp"

#include "code/thread_rooms.hpp"

asm(R"(
    .pushsection .text
    .hidden ovni_code_call_at
    .globl ovni_code_call_at
    .type ovni_code_call_at, @function
ovni_code_call_at:
    .cfi_startproc
    endbr64
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register rbp
    test %rdi, %rdi
    cmovnz %rdi, %rsp
    mov %rdx, %rdi
    call *%rsi
    mov %rbp, %rsp
    pop %rbp
    .cfi_def_cfa rsp, 8
    ret
    .cfi_endproc
    .popsection
)");

namespace ovni::code {

namespace {

constexpr size_t stack_bytes = size_t{256} << 10;

struct alignas(64) Room {
    int thread;
};

constinit ThreadRooms<Room, stack_bytes> rooms;
constinit thread_local Room* own_room = nullptr;

}  // namespace

void* ovni_code_own_stack() noexcept {
    if (own_room == nullptr) own_room = rooms.take([](Room&) {});
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const auto top = reinterpret_cast<uintptr_t>(own_room);
    const bool is_there = here < top && top - here <= stack_bytes;
    return is_there ? nullptr : own_room;
}

uint64_t ovni_code_hold_signals() noexcept {
    // Faults stay open: the stack may end here, and the program may survive that.
    uint64_t all = ~uint64_t{0};
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) all &= ~(uint64_t{1} << (fault - 1));
    uint64_t before = 0;
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof before);
    return before;
}

void ovni_code_let_in_signals(uint64_t before) noexcept {
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, sizeof before);
}

void keep_own_stack_in_child() noexcept {
    rooms.start_over_in_child(own_room);
}

}  // namespace ovni::code
