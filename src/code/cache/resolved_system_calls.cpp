// System calls that change what is translated, make processes, or return from a handler.
#include <asm/prctl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code/cache/kept_state.hpp"
#include "code/cache/resolver.hpp"

namespace ovni::code {

uint64_t TranslatedThreads::call_system(ThreadContext& own, const Request& request) noexcept {
    const Registers& registers = own.registers;
    own.has_forked = false;
    switch (static_cast<int>(registers.rax)) {
        case SYS_mmap: {
            constexpr uint64_t fixed = MAP_FIXED;
            if ((registers.r10 & fixed) == 0) break;
            [[fallthrough]];
        }
        case SYS_mprotect:
        case SYS_pkey_mprotect:
        case SYS_munmap:
            cache_.forget_mapping(registers.rdi, registers.rdi + registers.rsi);
            break;
        case SYS_mremap:
            cache_.forget_mapping(registers.rdi, registers.rdi + registers.rsi);
            if ((registers.r10 & MREMAP_FIXED) != 0)
                cache_.forget_mapping(registers.r8, registers.r8 + registers.rdx);
            break;
        case SYS_fork:
            own.has_forked = true;
            break;
        case SYS_vfork:
            expect_vfork(own);
            break;
        case SYS_clone:
            own.has_forked = (registers.rdi & CLONE_VM) == 0;
            if ((registers.rdi & CLONE_VFORK) != 0) expect_vfork(own);
            break;
        case SYS_clone3:
            own.has_forked = (*reinterpret_cast<const uint64_t*>(registers.rdi) & CLONE_VM) == 0;
            break;
        case SYS_arch_prctl:
            if (registers.rdi != ARCH_SET_GS) break;
            is_ready_ = false;
            warn("instructions are no longer counted, as the program uses the segment register GS",
                 request.address);
            return leave(own, request.address);
        case SYS_rt_sigreturn: {
            auto* context = reinterpret_cast<ucontext_t*>(registers.rsp);
            const auto address = static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
            // A signal may have come between this and the call, which is made again then.
            if (cache_.find(address) == nullptr) resume(context, GoOn::here, own);
            break;
        }
        default:
            break;
    }
    own.registers.rip = request.address;
    return reinterpret_cast<uint64_t>(request.slot);
}

// The child runs in the context of the parent until it ends or becomes another program.
void TranslatedThreads::expect_vfork(ThreadContext& own) noexcept {
    own.at_vfork = own.crossings;
    own.has_vforked = true;
}

void TranslatedThreads::look_for_end_of_vfork(ThreadContext& own) noexcept {
    if (!own.has_vforked || ::syscall(SYS_gettid) != own.thread) return;
    own.has_vforked = own.is_stepping = false;
    own.is_return = 0;
    own.crossings = own.at_vfork;
}

void TranslatedThreads::start_over_in_child() noexcept {
    cache_.forget_lock();
    inside_.store(own_context != nullptr && own_context->is_inside ? 1 : 0);
    contexts_.start_over_in_child(own_context);
}

// A thread goes on where a signal interrupted it.
void TranslatedThreads::resume(ucontext_t* context, GoOn where, ThreadContext& own) noexcept {
    greg_t& address = context->uc_mcontext.gregs[REG_RIP];
    const auto at = static_cast<uint64_t>(address);
    const uint64_t state = kept_state(*context);
    if (state != 0)
        own.crossings.set_state(state & ~return_in_state);
    else
        own.crossings.begin(cache_.owner_at(at));
    own.is_return = (state & return_in_state) != 0 ? 1 : 0;
    const uint64_t stack = own.registers.rsp;
    own.registers.rsp = static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RSP]);
    address = static_cast<greg_t>(where == GoOn::behind ? go_on_behind(own, at) : go_on(own, at, {}));
    own.registers.rsp = stack;
}

}  // namespace ovni::code
