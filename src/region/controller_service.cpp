// Hits that the thread of the service reports in the name of others: deadlines, and requests for interactive
// alarms.
#include <utility>

#include "region/control_socket.hpp"
#include "region/controller.hpp"
#include "region/recorder.hpp"
#include "ring/session.hpp"

namespace ovni::region {

void RegionController::start_service() noexcept {
    if (has_service_.exchange(true)) return;
    ServiceEvents events{[](uint16_t alarm, uint32_t thread) noexcept {
                             controller().ring(alarm, thread);
                             controller().call_deferred_listeners();
                         },
                         [](std::string_view words, std::string& reply) noexcept {
                             controller().command(words, reply);
                             controller().call_deferred_listeners();
                         }};
    service_.start(events, socket_path());
    // Deadlines that a fork's child has found armed, with those that others armed since.
    uint64_t now = writer::monotonic_clock();
    for (uint16_t alarm = 0; alarm < running()->alarm_count(); ++alarm) {
        uint64_t deadline = running()->facts(alarm).deadline.load(std::memory_order_relaxed);
        if (is_child_ && deadline > now && running()->engine().is_armed(own_thread.thread, alarm))
            service_.arm_timer(alarm, own_thread.thread.number, deadline - now);
    }
}

// False if the alarm is not armed in that thread.
bool RegionController::report(const ThreadTable::Use& thread, uint16_t alarm) noexcept {
    Engine& engine = running()->engine();
    if (!engine.is_armed(thread.thread(), alarm)) return false;
    reported_stream_.store(thread.stream(), std::memory_order_relaxed);
    engine.hit(thread.thread(), {&alarm, 1});
    reported_stream_.store(nullptr, std::memory_order_relaxed);
    return true;
}

// Called after the reports: a listener may wait for the thread that the event concerns, and that thread
// cannot end during a report.
void RegionController::call_deferred_listeners() noexcept {
    for (const Unannounced& fired : std::exchange(unannounced_, {})) {
        thread_of_listener_ = fired.firing.thread;
        delivery_.call_listeners(fired.firing);
    }
}

// True if a thread still waits, because its alarm has a count.
bool RegionController::ring_for_all(uint16_t alarm) noexcept {
    bool still_waits = false;
    uint32_t least = 0;
    while (ThreadTable::Use thread = threads_.next_from(least)) {
        least = thread.thread().number + 1;
        if (!report(thread, alarm)) continue;
        still_waits = running()->engine().is_armed(thread.thread(), alarm) || still_waits;
        if (running()->facts(alarm).is_single) break;
    }
    return still_waits;
}

void RegionController::ring(uint16_t alarm, uint32_t thread) noexcept {
    own_thread.phase = Phase::helper;
    AlarmFacts& facts = running()->facts(alarm);
    if (facts.kind == AlarmKind::interactive) {
        if (!feed({&alarm, 1})) running()->is_latched.store(true);
        return;
    }
    bool still_waits = false;
    bool is_for_all = thread == all_threads;
    if (is_for_all || facts.is_single) facts.is_due.store(facts.count == 1, std::memory_order_relaxed);
    if (is_for_all) {
        still_waits = ring_for_all(alarm);
    } else if (ThreadTable::Use use = threads_.find(thread)) {
        still_waits = report(use, alarm) && running()->engine().is_armed(use.thread(), alarm);
    }
    // A count makes the deadline that many times as long. An alarm that was just armed again has its timer.
    if (still_waits && facts.count > 1) running()->arm_timer(alarm, thread, facts.ns);
}

}  // namespace ovni::region
