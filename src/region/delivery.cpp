#include "region/delivery.hpp"

#include <ctime>
#include <utility>

#include "region/recorder.hpp"
#include "region/threads.hpp"

namespace ovni::region {

namespace {

constexpr std::string_view agreement_cause = "job";

writer::Recording state_after(Event event) {
    return event == Event::stop ? writer::Recording::off : writer::Recording::on;
}

Outcome outcome_of(writer::ChangeOutcome outcome) {
    switch (outcome) {
        case writer::ChangeOutcome::done:
            return Outcome::done;
        case writer::ChangeOutcome::was_so:
            return Outcome::was_so;
        case writer::ChangeOutcome::in_transition:
            break;
    }
    return Outcome::ignored;
}

EventLog::Descriptors own_descriptors() {
    return own_thread.phase == Phase::helper ? EventLog::Descriptors::of_service
                                             : EventLog::Descriptors::of_program;
}

}  // namespace

bool is_amid_of_program() noexcept {
    Phase phase = own_thread.phase;
    return phase != Phase::attaching && phase != Phase::helper && recorder::is_amid();
}

void Delivery::set_up(const ControlSettings& settings, std::optional<uint32_t> rank,
                      writer::Recording first) noexcept {
    scope_ = settings.scope;
    log_.set_name(settings.log, rank);
    job_.begin(first);
}

Outcome Delivery::deliver(const Firing& firing, std::string_view cause, writer::Stream* stream) noexcept {
    bool amid = is_amid_of_program();
    bool is_default_start = cause == default_start_cause;
    LogLine line{0, firing, cause, Outcome::ignored, fired_at().address};
    count_.fetch_add(1, std::memory_order_relaxed);
    if (!amid && firing.event == Event::thread_id) recorder::mark_thread(firing.thread);
    if (firing.event == Event::start) has_start_.store(true, std::memory_order_relaxed);
    {
        writer::SlowPath slow;
        if (!amid) line.outcome = take_effect(firing, stream, is_default_start, line.clock);
        // Without this the log would have a line for each thread.
        if (is_default_start && line.outcome == Outcome::was_so) return line.outcome;
        if (line.clock == 0) line.clock = recorder::clock();
        log_.write(line, own_descriptors(), amid ? EventLog::Urgency::at_once : EventLog::Urgency::usual);
    }
    return line.outcome;
}

// In the scopes `process` and `job` a default start has no effect: recording is on then, or was stopped.
Outcome Delivery::take_effect(const Firing& firing, writer::Stream* stream, bool is_default_start,
                              uint64_t& clock) noexcept {
    if (firing.event == Event::thread_id) return Outcome::done;
    if (is_default_start && scope_ != Scope::thread) return Outcome::was_so;
    writer::Recording to = state_after(firing.event);
    if (scope_ == Scope::job) return job_.want(to) ? Outcome::wished : Outcome::was_so;
    if (scope_ == Scope::process || firing.is_broadcast) return change(to, nullptr, Amid::is_ignored, clock);
    if (stream != nullptr) return change(to, stream, Amid::waits, clock);
    bool is_own = own_thread.phase != Phase::helper && own_thread.thread.number == firing.thread;
    return is_own ? change_own_thread(to, clock) : Outcome::ignored;
}

// An event for all that comes during another's change is ignored. Events of single threads do not concern
// each other, and no rank may ignore an agreement of all ranks, so these wait.
Outcome Delivery::change(writer::Recording to, writer::Stream* only, Amid amid, uint64_t& clock) noexcept {
    auto make = amid == Amid::waits ? recorder::change_after_others : recorder::change;
    Outcome outcome = outcome_of(make(to, only, &clock));
    if (outcome == Outcome::done && to == writer::Recording::off) recorder::ask_for_kept_events();
    return outcome;
}

// The calling thread has no stream: its wish takes effect once it has one.
Outcome Delivery::change_own_thread(writer::Recording to, uint64_t& clock) noexcept {
    writer::Recording now = own_thread.has_wish ? own_thread.wish : recorder::state_of_new_streams();
    own_thread.has_wish = true;
    own_thread.wish = to;
    clock = recorder::clock();
    return now == to ? Outcome::was_so : Outcome::done;
}

void Delivery::follow_stream(writer::Stream* stream) noexcept {
    if (!own_thread.has_wish || stream == nullptr) return;
    own_thread.has_wish = false;
    uint64_t clock = 0;
    change(own_thread.wish, stream, Amid::waits, clock);
}

void Delivery::agree(uint64_t wish) noexcept {
    std::optional<writer::Recording> to = job_.agree(wish);
    if (!to) return;
    Event event = *to == writer::Recording::on ? Event::start : Event::stop;
    if (event == Event::start) has_start_.store(true, std::memory_order_relaxed);
    forget_start_of_main();
    LogLine line{0, {event, own_thread.thread.number, true, no_alarm}, agreement_cause, Outcome::ignored, 0};
    writer::SlowPath slow;
    line.outcome = change(*to, nullptr, Amid::waits, line.clock);
    if (line.clock == 0) line.clock = recorder::clock();
    log_.write(line, own_descriptors(), EventLog::Urgency::usual);
}

bool Delivery::add_listener(Listener* listener, void* data) noexcept {
    writer::SlowPath slow;
    writer::Lock lock(mutex_);
    if (listener_count_ == most_listeners) return false;
    listeners_[listener_count_] = {listener, data};
    if (main_has_begun_) owed_starts_ |= 1u << listener_count_;
    ++listener_count_;
    return true;
}

Delivery::Audience Delivery::audience_of(const Firing& firing, std::string_view cause) noexcept {
    writer::SlowPath slow;
    writer::Lock lock(mutex_);
    Audience audience{listener_count_, 0};
    if (firing.thread != 0 && !firing.is_broadcast) return audience;
    main_has_begun_ = cause == default_start_cause;
    audience.after_start = std::exchange(owed_starts_, 0);
    return audience;
}

// No lock is held while listeners run: they may take those that the program holds when it adds others.
void Delivery::call_listeners(const Firing& firing, std::string_view cause) noexcept {
    if (is_amid_of_program()) return;
    const Audience audience = audience_of(firing, cause);
    for (size_t i = 0; i < audience.count; ++i) {
        const auto& [listener, data] = listeners_[i];
        if ((audience.after_start >> i & 1) != 0) {
            const FiringAt not_where_this_fires;
            listener(data, OVNI_CONTROL_START, 0, 0);
        }
        listener(data, static_cast<int>(firing.event), firing.thread, firing.is_broadcast ? 1 : 0);
    }
}

void Delivery::forget_start_of_main() noexcept {
    writer::SlowPath slow;
    writer::Lock lock(mutex_);
    main_has_begun_ = false;
    owed_starts_ = 0;
}

void Delivery::start_over_in_child() noexcept {
    mutex_.forget();
    main_has_begun_ = false;
    log_.start_over_in_child();
}

}  // namespace ovni::region
