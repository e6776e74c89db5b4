#include "code/traps.hpp"

#include <ucontext.h>

#include <cerrno>

#include "code/cache/thread_context.hpp"
#include "code/own_hits.hpp"
#include "code/own_stack.hpp"
#include "code/patched_hit.hpp"
#include "code/program/signals.hpp"
#include "ovni/private.h"

namespace ovni::code {

namespace {

Sites* sites;
ReportSite report_site;
bool reports_int3;

struct Trap {
    int signal;
    siginfo_t* info;
    ucontext_t* context;
    bool is_translated = false;
    bool is_of_program = false;
};

Registers registers_of(const ucontext_t& context) {
    const greg_t* from = context.uc_mcontext.gregs;
    auto value = [&](int place) { return static_cast<uint64_t>(from[place]); };
    return {value(REG_RAX), value(REG_RCX), value(REG_RDX), value(REG_RBX), value(REG_RBP), value(REG_RSI),
            value(REG_RDI), value(REG_R8),  value(REG_R9),  value(REG_R10), value(REG_R11), value(REG_R12),
            value(REG_R13), value(REG_R14), value(REG_R15), value(REG_RSP), value(REG_EFL), value(REG_RIP)};
}

// The place of errno is found by a function of the C library, which the compiler may call earlier than it
// stands here.
[[gnu::noinline]] int read_errno() {
    Reporting reporting;
    asm volatile("" ::: "memory");
    return errno;
}

[[gnu::noinline]] void write_errno(int value) {
    Reporting reporting;
    asm volatile("" ::: "memory");
    errno = value;
}

// In the middle of a report sites are passed, nothing more: even that function may be one.
bool pass_site(ucontext_t* context) {
    greg_t& address = context->uc_mcontext.gregs[REG_RIP];
    const Site* site = sites->find(static_cast<uintptr_t>(address) - 1);
    if (site != nullptr) address = static_cast<greg_t>(site->way_on());
    return site != nullptr;
}

// A trap inside of a jump shows an address so far behind it.
bool pass_inside(ucontext_t* context, uintptr_t behind) {
    Reporting reporting;
    greg_t& address = context->uc_mcontext.gregs[REG_RIP];
    const uintptr_t inside = sites->way_on_inside(static_cast<uintptr_t>(address) - behind);
    if (inside != 0) address = static_cast<greg_t>(inside);
    return inside != 0;
}

// False if it is the program's own.
bool on_int3(ucontext_t* context, bool is_translated) {
    greg_t* registers = context->uc_mcontext.gregs;
    const auto behind = static_cast<uintptr_t>(registers[REG_RIP]);
    const Site* site = is_translated ? nullptr : sites->find(behind - 1);
    if (site != nullptr) {
        Registers at_site = registers_of(*context);
        at_site.rip = site->address;
        const bool is_first = !own_hits.is_reporting;
        report_site(*site, at_site);
        if (is_first) {
            Reporting reporting;
            sites->count_trap(*site);
        }
        registers[REG_RIP] = static_cast<greg_t>(site->way_on());
        if (is_first) enter_behind_site(context, site->address, GoOn::behind);
        return true;
    }
    if (!is_translated && pass_inside(context, 1)) return true;
    if (!reports_int3) return false;
    {
        Reporting reporting;
        const Registers behind_it = registers_of(*context);
        shown_registers = &behind_it;
        ovni_private_hit_code(OVNI_PRIVATE_CODE_INT3, 0, 0);
        shown_registers = nullptr;
    }
    if (!is_translated) enter_behind_site(context, behind, GoOn::here);
    return true;
}

// On a stack of ours.
void handle(void* given) {
    Trap& trap = *static_cast<Trap*>(given);
    ucontext_t* context = trap.context;
    if (is_wish_to_translate(*trap.info)) {
        const Registers here = registers_of(*context);
        const Registers* before = shown_registers;
        shown_registers = before == nullptr ? &here : before;
        if (!is_early(*trap.info)) follow_wish(context);
        shown_registers = before;
        return;
    }
    OwnWork work;
    if (!show_program(trap.signal, trap.info, context, trap.is_translated)) return;
    const bool is_int3 = trap.signal == SIGTRAP && trap.info->si_code == SI_KERNEL;
    const Site* patched = is_int3 ? leave_patch(context) : nullptr;
    if (patched != nullptr && trap.is_translated) {
        context->uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(patched->address);
        go_on_translated(context, GoOn::behind);
    } else if (patched != nullptr) {
        context->uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(patched->way_on());
        enter_behind_site(context, patched->address, GoOn::behind);
    } else if (!is_int3 || !on_int3(context, trap.is_translated)) {
        trap.is_of_program = true;
    } else if (trap.is_translated) {
        go_on_translated(context, GoOn::here);
    }
}

void on_trap(int signal, siginfo_t* info, void* given) {
    Trap trap{signal, info, static_cast<ucontext_t*>(given)};
    const bool is_int3 = signal == SIGTRAP && info->si_code == SI_KERNEL;
    if (own_hits.is_reporting && is_int3 && pass_site(trap.context)) return;
    if (signal == SIGILL && pass_inside(trap.context, 0)) return;
    if (own_hits.is_confined) {
        if (is_int3) pass_inside(trap.context, 1);
        return;
    }
    const int saved = read_errno();
    ovni_code_call_at(ovni_code_own_stack(), handle, &trap);
    if (trap.is_of_program) {
        OwnWork work;
        pass_trap_to_program(signal == held_trap ? SIGTRAP : signal, info, given);
        if (trap.is_translated) go_on_translated(trap.context, GoOn::here);
    }
    follow_missed_wish(trap.context);
    write_errno(saved);
}

}  // namespace

bool handle_traps(Sites& planted, ReportSite report, bool has_int3_alarms) noexcept {
    sites = &planted;
    report_site = report;
    reports_int3 = has_int3_alarms;
    take_over_held_traps(on_trap);
    return take_over(SIGTRAP, on_trap);
}

bool handle_illegal_instructions() noexcept {
    return take_over(SIGILL, on_trap);
}

}  // namespace ovni::code
