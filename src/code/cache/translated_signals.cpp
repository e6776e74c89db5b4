// Signals that come to threads in translated code: the program sees its own registers, and its handlers run
// translated.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "code/cache/kept_state.hpp"
#include "code/cache/program_state.hpp"
#include "code/cache/resolver.hpp"
#include "code/program/signals.hpp"

namespace ovni::code {

namespace {

void put_into(ucontext_t* context, const Registers& registers) noexcept {
    greg_t* to = context->uc_mcontext.gregs;
    const std::pair<int, uint64_t> all[] = {
        {REG_RAX, registers.rax}, {REG_RCX, registers.rcx},    {REG_RDX, registers.rdx},
        {REG_RBX, registers.rbx}, {REG_RBP, registers.rbp},    {REG_RSI, registers.rsi},
        {REG_RDI, registers.rdi}, {REG_R8, registers.r8},      {REG_R9, registers.r9},
        {REG_R10, registers.r10}, {REG_R11, registers.r11},    {REG_R12, registers.r12},
        {REG_R13, registers.r13}, {REG_R14, registers.r14},    {REG_R15, registers.r15},
        {REG_RSP, registers.rsp}, {REG_EFL, registers.rflags}, {REG_RIP, registers.rip}};
    for (const auto& [place, value] : all) to[place] = static_cast<greg_t>(value);
}

bool is_fault(int signal, const siginfo_t& info) {
    const bool is_of_instruction =
        signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP;
    return is_of_instruction && info.si_code > 0;
}

// It comes again when all registers of the program are in place.
enum class Frame : uint8_t { outermost, inner };
bool defer(int signal, siginfo_t* info, ucontext_t* context, ThreadContext& own, Frame frame) noexcept {
    if (::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), signal, info) != 0) return false;
    // The mask of the program is in the outermost of several frames, which may be deferred last.
    if (frame == Frame::outermost || own.is_deferred == 0)
        memcpy(&own.mask, &context->uc_sigmask, sizeof own.mask);
    // All, those of the C library, too.
    uint64_t all = ~uint64_t{0};
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) all &= ~(uint64_t{1} << (fault - 1));
    memcpy(&context->uc_sigmask, &all, sizeof all);
    own.is_deferred = 1;
    return true;
}

// The system had begun to call our entry for another signal, whose frame is still to be shown. To the program
// its handler for that one is interrupted.
bool show_second_signal(int signal, siginfo_t* info, ucontext_t* context, bool& was_translated) noexcept {
    greg_t* registers = context->uc_mcontext.gregs;
    const auto first = static_cast<int>(registers[REG_RDI]);
    auto* first_info = reinterpret_cast<siginfo_t*>(registers[REG_RSI]);
    auto* first_context = reinterpret_cast<ucontext_t*>(registers[REG_RDX]);
    const uint64_t handler = handler_of_program(first);
    const bool is_shown = show_program(first, first_info, first_context, was_translated);
    if (is_shown && handler != 0) {
        registers[REG_RIP] = static_cast<greg_t>(handler);
        keep_state(*context, own_context->crossings.state());
        return true;
    }
    // The first one comes again, or is nothing: our entry returns, and the second one comes again, too.
    registers[REG_RIP] = *reinterpret_cast<const greg_t*>(registers[REG_RSP]);
    registers[REG_RSP] += static_cast<greg_t>(sizeof(greg_t));
    if (is_shown && was_translated) go_on_translated(first_context, GoOn::here);
    if (is_shown) return true;
    return !defer(signal, info, context, *own_context, Frame::inner);
}

}  // namespace

bool show_program(int signal, siginfo_t* info, ucontext_t* context, bool& was_translated) noexcept {
    ThreadContext* own = own_context;
    was_translated = false;
    keep_state(*context, 0);
    if (threads == nullptr || own == nullptr) return true;
    greg_t* registers = context->uc_mcontext.gregs;
    const auto address = static_cast<uint64_t>(registers[REG_RIP]);
    if (address == reinterpret_cast<uint64_t>(ovni_code_handle_signal))
        return show_second_signal(signal, info, context, was_translated);
    const Way way = way_at(address);
    const Piece* piece = way == Way::none ? threads->cache().find(address) : nullptr;
    // Another signal is about to be shown: it has begun, but its frame has not been changed.
    const bool is_beginning = own->is_inside && (way == Way::begin || own_work > 1);
    const bool is_between = own->is_resolving != 0 || is_beginning || way == Way::in ||
                            way == Way::before_out ||
                            (piece != nullptr && state_at(*piece, address) == State::leaving);
    if (is_between && !is_fault(signal, *info)) {
        if (way == Way::before_out)
            context->uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(check_before_out());
        const Frame frame = own_work > 1 ? Frame::inner : Frame::outermost;
        if (defer(signal, info, context, *own, frame)) return false;
    }
    if (is_between || !own->is_inside) return true;
    if (way == Way::out) {
        put_into(context, own->registers);
        own->is_stepping = false;
    } else if (piece != nullptr) {
        own->left += show_program_state(*piece, *own, context->uc_mcontext.gregs);
        // The only instruction may have been executed.
        const bool is_executed = static_cast<uint64_t>(registers[REG_RIP]) != piece->address;
        if (own->is_stepping && is_executed) ++own->granted;
        own->is_stepping = false;
    } else {
        return true;
    }
    was_translated = true;
    keep_state(*context, own->crossings.state() | (own->is_return != 0 ? return_in_state : 0));
    own->is_return = 0;
    own->crossings.begin_handler();
    own->is_inside = false;
    // Until the thread goes on, no other signal finds registers of the program.
    own->is_resolving = 1;
    return true;
}

void go_on_translated(ucontext_t* context, GoOn where) noexcept {
    own_context->is_inside = true;
    own_context->is_resolving = 0;
    own_context->is_deferred = 0;
    threads->resume(context, where, *own_context);
}

}  // namespace ovni::code

using namespace ovni::code;

extern "C" ovni_code_handler ovni_code_choose_handler(int signal, void* info, void* context) {
    OwnWork work;
    bool was_translated = false;
    auto* of_program = static_cast<ucontext_t*>(context);
    if (!show_program(signal, static_cast<siginfo_t*>(info), of_program, was_translated)) return {0, 0};
    const uint64_t handler = handler_of_program(signal);
    if (was_translated && handler == 0) go_on_translated(of_program, GoOn::here);
    return {handler, was_translated};
}
