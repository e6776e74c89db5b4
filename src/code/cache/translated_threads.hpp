// Threads of the program that run in translated code, because an alarm counts their instructions or searches
// them: how they enter it, what they request, and how they leave when nothing is armed.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <span>

#include "code/cache/thread_context.hpp"
#include "code/sites.hpp"
#include "ovni/private.h"

namespace ovni::code {

// True for alarms that need translated code.
bool needs_translation(const ovni_private_code_alarm& alarm);

// Reports a site that a thread reached in translated code.
using ReportSite = void (*)(const Site& site, const Registers& registers);

// Call once. Prints a line and returns false if translation is impossible.
bool prepare_translation(std::span<const ovni_private_code_alarm> alarms, const Sites& sites,
                         ReportSite report) noexcept;

// Call in a child of fork(), before an alarm fires there.
void start_translation_over_in_child() noexcept;

// Continues the caller in translated code, if that is wanted.
void enter_if_wanted() noexcept;
// After a call with true, the calling thread continues in the program's own code, and stays there until a
// call with false.
void leave_translation(bool for_good) noexcept;
// True if the calling thread runs the program's own code, and should enter translated code.
bool translation_is_due() noexcept;
// Call when an alarm that needs translation is armed, in this thread, in others, or both. If may_enter, the
// caller continues in translated code.
void translation_is_wanted(bool in_this_thread, bool in_others, bool may_enter) noexcept;

// Marks our own work in a thread, which must not be translated in the middle of it.
class OwnWork {
 public:
    OwnWork() noexcept;
    ~OwnWork();
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;
};

// For signal handlers, with the context of a thread in translated code or not. Changes the context as if the
// program's own code had been interrupted. Returns false if the thread is inside the resolver: the signal has
// been sent again, and the handler has to return.
bool show_program(int signal, siginfo_t* info, ucontext_t* context, bool& was_translated) noexcept;
// The point at which the thread continues in translated code: at its next instruction, or behind one that was
// reported.
enum class GoOn : uint8_t { here, behind };
void go_on_translated(ucontext_t* context, GoOn where) noexcept;
// True if the signal comes from translation_is_wanted(), or from a counter, which may not have reached its
// end.
bool is_wish_to_translate(const siginfo_t& info) noexcept;
// True if the signal comes from a counter that has not reached its end.
bool is_early(const siginfo_t& info) noexcept;
void follow_wish(ucontext_t* context) noexcept;
// Handles such a signal that came while the handler ran.
void follow_missed_wish(ucontext_t* context) noexcept;
// Call after a site was reported in the program's own code: continues the thread in translated code, if that
// is wanted.
void enter_behind_site(ucontext_t* context, uintptr_t address, GoOn where) noexcept;

// Call when a site was added or removed in the program's code at this address.
void forget_translation(uintptr_t address) noexcept;

}  // namespace ovni::code
