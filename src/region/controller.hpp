// The region controller of a process: reads the settings before the first stream, reports each thread's hits
// to the engine, and delivers the events that fire. The writer calls it through the table in
// runtime/gate.hpp, libovni-mpi by the functions of ovni/private.h, programs by ovni/control.h.
//
// It begins once and never ends: after running() is set, any thread may use it without a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "region/control_settings.hpp"
#include "region/deferred_hits.hpp"
#include "region/delivery.hpp"
#include "region/engine.hpp"
#include "region/plan.hpp"
#include "region/running.hpp"
#include "region/service.hpp"
#include "region/threads.hpp"
#include "runtime/gate.hpp"
#include "runtime/guard.hpp"

namespace ovni::region {

class RegionController {
 public:
    constexpr RegionController() = default;
    void be_born(uint64_t clock) noexcept { born_ = clock; }

    // The writer calls these: see runtime/gate.hpp.
    writer::Recording begin() noexcept;
    void thread_begins() noexcept;
    void thread_ends() noexcept;
    void start_over_in_child() noexcept;
    void fork_ends(void (*release)() noexcept) noexcept;
    void end() noexcept;
    bool decides() const noexcept { return running() != nullptr && running()->decides(); }

    // Begins unless it has begun: a site may be hit before the first stream exists.
    void begin_here() noexcept;
    // Null if there are no chains, or before the process has begun.
    Running* running() const noexcept { return running_.load(std::memory_order_acquire); }

    // A site is hit in the calling thread, which may be new to the controller.
    void hit(AlarmKind kind, uint64_t value, int64_t detail = 0) noexcept;
    void hit(AlarmKind kind, std::string_view text, int64_t detail) noexcept;
    // A site of these alarms.
    void hit(std::span<const uint16_t> alarms) noexcept;

    // True if the alarm is armed in a thread. The main thread counts from the begin on, other threads from
    // their begin.
    bool is_armed_somewhere(uint16_t alarm) const noexcept;

    // Instructions of the calling thread, as in ovni/private.h.
    bool is_armed_here(uint16_t alarm) noexcept;
    uint64_t instructions_until_next() noexcept;
    bool begins_sample() noexcept;
    void execute(uint64_t instructions) noexcept;
    void begin_block(uint64_t instructions) noexcept;

    // The number for a thread that the calling one is about to create.
    uint32_t number_next_thread() noexcept { return numbers_.take(); }
    // The calling thread begins, with that number.
    void thread_starts(uint32_t number) noexcept;
    uint32_t own_number() noexcept;
    // The calling thread ends.
    void detach() noexcept;

    // Fires an event like an alarm. False if this process has no controller.
    bool fire(Event event, uint32_t thread, bool is_broadcast) noexcept;
    Delivery& delivery() noexcept { return delivery_; }

    // Whether a chain has begun recording in this process. It is not needed if recording begins at once.
    enum class Start : uint8_t { not_needed, missing, seen };
    Start start() const noexcept;
    // Call if the ranks of the job report missing starts together: end() then does not.
    void leave_report_to_job() noexcept { is_reported_by_job_ = true; }
    // Warns of ranks without a start.
    void warn_about_starts(uint64_t seen, uint64_t missing) noexcept;

    // The engine's hooks call these.
    void fired(const Firing& firing, std::string_view cause) noexcept;

    // Called in the thread of the service: a deadline has come.
    void ring(uint16_t alarm, uint32_t thread) noexcept;
    // Called in the thread of the service: a request of ovnictl.
    void command(std::string_view words, std::string& reply) noexcept;
    // Called in the thread of the service: calls listeners for the events that it fired.
    void call_deferred_listeners() noexcept;

 private:
    bool make() noexcept;
    Fault read(ControlSettings& settings, Plan& plan) noexcept;
    bool attach() noexcept;
    bool attach_if_started() noexcept;
    void attach_here() noexcept;
    void pass_what_is_due() noexcept;
    void start_service() noexcept;
    bool ring_for_all(uint16_t alarm) noexcept;
    bool report(const ThreadTable::Use& thread, uint16_t alarm) noexcept;
    std::optional<uint16_t> feed(std::span<const uint16_t> alarms) noexcept;
    std::vector<uint16_t> interactive_alarms() noexcept;
    void fire_interactive(std::string_view number, std::string& reply) noexcept;
    void print_status(std::string& reply) noexcept;
    void print_chains(std::string& reply) noexcept;

    enum class State : uint8_t { unborn, absent, present };
    std::atomic<State> state_{State::unborn};
    writer::Mutex mutex_;
    uint64_t born_ = 0;
    writer::Recording first_ = writer::Recording::on;
    std::atomic<Running*> running_{nullptr};
    Delivery delivery_;
    ThreadNumbers numbers_;
    std::atomic<bool> is_main_attached_{false};
    ThreadTable threads_;
    Service service_;
    std::atomic<bool> has_service_{false};
    std::atomic<bool> is_reported_by_job_{false};
    bool is_child_ = false;  // of a fork, while chains were running
    // For the service's thread: the stream that it reports for, and events still to pass to listeners.
    std::atomic<writer::Stream*> reported_stream_{nullptr};
    struct Unannounced {
        Firing firing;
        Outcome outcome;
    };
    DeferredHits deferred_;
    std::vector<Unannounced> unannounced_;
    uint32_t thread_of_listener_ = 0;
};

extern writer::Immortal<RegionController> the_controller;
inline RegionController& controller() {
    return the_controller.value;
}

}  // namespace ovni::region
