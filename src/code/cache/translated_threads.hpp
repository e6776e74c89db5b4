// Threads of the program that run in translated code, because an alarm counts their instructions or looks for
// some of them: how they come there, what they ask for, and how they leave when nothing is armed.
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

// Reports a site that a thread came to in translated code.
using ReportSite = void (*)(const Site& site, const Registers& registers);

// Call once; prints a line and returns false if it cannot be done.
bool prepare_translation(std::span<const ovni_private_code_alarm> alarms, const Sites& sites,
                         ReportSite report) noexcept;

// Call in a child of fork(), before an alarm fires there.
void start_translation_over_in_child() noexcept;

// The caller goes on in translated code, if it has to.
void enter_if_wanted() noexcept;
// The calling thread goes on in the program's own code, and stays there until that is taken back.
void leave_translation(bool for_good) noexcept;
// True if it runs the program's own code, and has to.
bool translation_is_due() noexcept;
// An alarm that needs translation is armed: in this thread, or in others, or both. The caller goes on in
// translated code, if it may.
void translation_is_wanted(bool in_this_thread, bool in_others, bool may_enter) noexcept;

// Our own work in a thread, which must not become translated in the middle of it.
class OwnWork {
 public:
    OwnWork() noexcept;
    ~OwnWork();
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;
};

// These are for handlers of signals. The context is that of a thread in translated code, or not; it becomes
// as if the program's own code had been interrupted. Returns false if the thread is in the middle of the
// resolver: the signal has been sent anew, and the handler has to return.
bool show_program(int signal, siginfo_t* info, ucontext_t* context, bool& was_translated) noexcept;
// The thread goes on in translated code; at its next instruction, or behind one that was reported.
enum class GoOn : uint8_t { here, behind };
void go_on_translated(ucontext_t* context, GoOn where) noexcept;
// True if the handler is called because translation_is_wanted(), or because a counter has come to its end.
bool is_wish_to_translate(const siginfo_t& info) noexcept;
// True if it is a counter's, and there is nothing to do yet.
bool is_early(const siginfo_t& info) noexcept;
void follow_wish(ucontext_t* context) noexcept;
// One that came while the handler worked.
void follow_missed_wish(ucontext_t* context) noexcept;
// A site was reported that the thread came to in the program's own code: if it has to, it goes on translated.
void enter_behind_site(ucontext_t* context, uintptr_t address, GoOn where) noexcept;

// The code of the program there has a site now, or none.
void forget_translation(uintptr_t address) noexcept;

}  // namespace ovni::code
