// longjmp() out of a call of MPI, from an error handler or another callback: the call ends there. On other
// machines than x86-64 it ends at the next call, as the address that a jump goes to is not known.
#include <setjmp.h>

#include <cstdint>
#include <cstdlib>

#include "core/next_function.hpp"
#include "mpi/interpose/calls.hpp"

#ifdef __x86_64__

namespace ovni::mpi {

namespace {

using Jump = void(__jmp_buf_tag*, int);

// glibc keeps the stack pointer of setjmp() at this place, and hides it.
const void* target_of(const __jmp_buf_tag* buffer) noexcept {
    constexpr int stack_pointer = 6, shift = 17;
    auto hidden = static_cast<uint64_t>(buffer->__jmpbuf[stack_pointer]);
    uint64_t guard = 0;
    asm("movq %%fs:0x30, %0" : "=r"(guard));
    return reinterpret_cast<const void*>((hidden >> shift | hidden << (64 - shift)) ^ guard);
}

using RealJump = NextFunction<Jump>;
constinit RealJump real_jumps[] = {RealJump("longjmp"), RealJump("_longjmp"), RealJump("siglongjmp"),
                                   RealJump("__longjmp_chk")};

// A handler of a signal may jump, and should look up nothing.
[[gnu::constructor]] void find_real_jumps() {
    for (RealJump& one : real_jumps) one.get();
}

[[noreturn]] void jump(RealJump& real, __jmp_buf_tag* buffer, int value) noexcept {
    if (Thread* thread = own_thread; thread && thread->depth != 0) end_abandoned(*thread, target_of(buffer));
    if (Jump* function = real.get()) function(buffer, value);
    abort();
}

}  // namespace

}  // namespace ovni::mpi

#define OVNI_JUMP(function, number, name)                                                             \
    extern "C" [[noreturn, gnu::visibility("default")]] void function(__jmp_buf_tag*, int) asm(name); \
    extern "C" void function(__jmp_buf_tag* buffer, int value) {                                      \
        ovni::mpi::jump(ovni::mpi::real_jumps[number], buffer, value);                                \
    }

OVNI_JUMP(ovni_mpi_longjmp, 0, "longjmp")
OVNI_JUMP(ovni_mpi_plain_longjmp, 1, "_longjmp")
OVNI_JUMP(ovni_mpi_siglongjmp, 2, "siglongjmp")
OVNI_JUMP(ovni_mpi_checked_longjmp, 3, "__longjmp_chk")

#endif
