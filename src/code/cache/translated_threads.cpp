#include "code/cache/translated_threads.hpp"

#include <pthread.h>

#include <algorithm>

#include "code/cache/kept_state.hpp"
#include "code/cache/resolver.hpp"
#include "code/cache/thread_wishes.hpp"
#include "code/program/signals.hpp"

namespace ovni::code {

namespace {

constinit thread_local volatile bool has_missed_wish = false;

}  // namespace

bool needs_translation(const ovni_private_code_alarm& alarm) {
    return alarm.kind >= OVNI_PRIVATE_CODE_ICOUNT;
}

bool prepare_translation(std::span<const ovni_private_code_alarm> alarms, const Sites& sites,
                         ReportSite report) noexcept {
    if (std::ranges::none_of(alarms, needs_translation)) return false;
    auto* made = new TranslatedThreads(sites, report);
    if (!made->prepare(alarms)) return false;
    threads = made;
    if (ovni_private_code_arms_others()) watch_waiting_threads();
    take_over_handlers(reinterpret_cast<TrapHandler>(ovni_code_handle_signal));
    ::pthread_atfork(nullptr, nullptr, [] {
        if (ovni_private_code_arms_others()) watch_waiting_threads();
        // The counter is that of the parent.
        const bool has_counted = own_context != nullptr && own_context->counter.is_running();
        if (own_context != nullptr) own_context->counter.close();
        if (has_counted) enter_if_wanted();
    });
    return true;
}

void start_translation_over_in_child() noexcept {
    if (threads != nullptr) threads->start_over_in_child();
}

namespace {

bool is_translation_wanted_here() noexcept {
    if (threads == nullptr) return false;
    if (own_context != nullptr) threads->end_native_count(*own_context);
    return threads->is_wanted();
}

}  // namespace

bool translation_is_due() noexcept {
    return is_translation_wanted_here() && (own_context == nullptr || !own_context->is_inside);
}

OwnWork::OwnWork() noexcept {
    own_work = own_work + 1;
}

OwnWork::~OwnWork() {
    own_work = own_work - 1;
}

void enter_if_wanted() noexcept {
    bool is_attached = false;
    {
        OwnWork work;
        has_missed_wish = false;
        // The question may have made the thread known to the controller, which has seen to it.
        const bool is_wanted = is_translation_wanted_here();
        const bool is_inside = own_context != nullptr && own_context->is_inside;
        is_attached = is_wanted && !is_inside && threads->attach();
    }
    if (is_attached) ovni_code_enter();
}

// A thread in translated code comes to the resolver where our code ends.
void leave_translation(bool for_good) noexcept {
    if (threads == nullptr) return;
    own_work = own_work + (for_good ? 1 : -1);
    if (own_context != nullptr) own_context->is_to_leave = for_good;
}

void translation_is_wanted(bool in_this_thread, bool in_others, bool may_enter) noexcept {
    if (threads == nullptr) return;
    if (in_others) ask_other_threads();
    if (!in_this_thread) return;
    if (own_context != nullptr && own_context->is_inside)
        threads->ask_again(*own_context);
    else if (may_enter && own_work == 0)
        enter_if_wanted();
}

bool is_wish_to_translate(const siginfo_t& info) noexcept {
    if (threads == nullptr) return false;
    return is_from_counter(info) || (info.si_code == SI_QUEUE && info.si_value.sival_ptr == mark_of_wish());
}

bool is_early(const siginfo_t& info) noexcept {
    return is_from_counter(info) && own_context != nullptr && !own_context->counter.is_over();
}

void follow_wish(ucontext_t* context) noexcept {
    if (own_context != nullptr && (own_context->is_inside || own_context->is_resolving != 0)) {
        threads->ask_again(*own_context);
        return;
    }
    if (own_work > 0) {
        has_missed_wish = true;
        return;
    }
    OwnWork work;
    keep_state(*context, 0);
    if (is_translation_wanted_here() && threads->attach()) go_on_translated(context, GoOn::here);
}

void follow_missed_wish(ucontext_t* context) noexcept {
    const bool is_inside = own_context != nullptr && own_context->is_inside;
    if (!has_missed_wish || is_inside || own_work > 0) return;
    has_missed_wish = false;
    follow_wish(context);
}

void enter_behind_site(ucontext_t* context, uintptr_t address, GoOn where) noexcept {
    if (!translation_is_due() || !threads->attach()) return;
    context->uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(address);
    go_on_translated(context, where);
}

namespace {

struct Range {
    uint64_t begin, end;
};

void forget_range(void* given) {
    const auto& range = *static_cast<const Range*>(given);
    threads->cache().forget(range.begin, range.end);
}

}  // namespace

// The lock must not be held by a thread in translated code: it might need the resolver.
void forget_translation(uintptr_t address) noexcept {
    if (threads == nullptr) return;
    Range range{address, address + 1};
    ovni_code_run_natively(forget_range, &range);
}

}  // namespace ovni::code
