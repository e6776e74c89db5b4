// Hits of sites that are patched with a jump. Most are counted in some nanoseconds, without vector registers
// and system calls. The others are reported like hits by a trap.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace ovni::code {

struct Site;

// Bytes by which a trampoline moves the stack pointer down: the red zone, and a word for the site.
inline constexpr int32_t below_stack_pointer = 136;

// The stack below a trampoline and its report, upwards.
struct PatchedFrame {
    uint64_t r15, r14, r13, r12, rbx, rbp, flags, r11, r10, r9, r8, rdi, rsi, rdx, rcx;
    uint64_t back, rax;
    const Site* site;
    uint64_t red_zone[16];
    // The program's stack begins here.
};

// Call once. The function reports a hit, with all signals blocked. It returns true if the thread has to
// continue in translated code.
using ReportPatched = bool (*)(const Site& site, const PatchedFrame& frame);
void prepare_patched_hits(ReportPatched report) noexcept;

// If a thread has to continue in translated code after a report, it leaves its trampoline by a trap. Then
// this restores the program's registers, except for rip, and returns the site; null for other traps.
const Site* leave_patch(ucontext_t* context) noexcept;

// True in libovni.so and libovni-code.so, which call functions of the C library, too.
bool is_own_code(uintptr_t address) noexcept;

extern "C" [[gnu::visibility("hidden")]] void ovni_code_patched_site();

}  // namespace ovni::code
