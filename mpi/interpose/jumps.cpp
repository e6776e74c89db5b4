// longjmp() out of a call of MPI, from an error handler or another callback: the call ends there. On other
// machines than x86-64 it ends at the next call, as the address that a jump goes to is not known.
#include <dlfcn.h>
#include <setjmp.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

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

[[noreturn]] void jump(std::atomic<Jump*>& known, const char* name, __jmp_buf_tag* buffer,
                       int value) noexcept {
    if (Thread* thread = own_thread; thread && thread->depth != 0) end_abandoned(*thread, target_of(buffer));
    Jump* real = known.load(std::memory_order_relaxed);
    if (!real) known.store(real = reinterpret_cast<Jump*>(dlsym(RTLD_NEXT, name)), std::memory_order_relaxed);
    if (real) real(buffer, value);
    abort();
}

}  // namespace

}  // namespace ovni::mpi

#define OVNI_JUMP(function, name)                                                                     \
    extern "C" [[noreturn, gnu::visibility("default")]] void function(__jmp_buf_tag*, int) asm(name); \
    extern "C" void function(__jmp_buf_tag* buffer, int value) {                                      \
        static std::atomic<ovni::mpi::Jump*> known{nullptr};                                          \
        ovni::mpi::jump(known, name, buffer, value);                                                  \
    }

OVNI_JUMP(ovni_mpi_longjmp, "longjmp")
OVNI_JUMP(ovni_mpi_plain_longjmp, "_longjmp")
OVNI_JUMP(ovni_mpi_siglongjmp, "siglongjmp")
OVNI_JUMP(ovni_mpi_checked_longjmp, "__longjmp_chk")

#endif
