// The region controller of a process: reads what the user wants before the first stream, reports hits to the
// engine in the name of the threads that have them, and hands on what fires. The writer knows it by the table
// in runtime/gate.hpp, libovni-mpi by the functions of ovni/private.h, programs by ovni/control.h.
//
// It comes to life once, and stays: whoever finds it running may use it without a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "region/control_settings.hpp"
#include "region/delivery.hpp"
#include "region/engine.hpp"
#include "region/plan.hpp"
#include "region/threads.hpp"
#include "runtime/gate.hpp"
#include "runtime/guard.hpp"

namespace ovni::region {

// Chains of this process at work.
struct Running {
    Running(Plan the_plan, DefaultStart default_start, const Hooks& hooks) noexcept;

    Plan plan;
    std::vector<std::string> alarms;     // as the user wrote them
    std::vector<uint8_t> awaited_calls;  // of each MPI function; none where none is awaited
    bool awaits_pcontrol = false;
    bool decides = false;  // something starts or stops recording
    Engine engine;
};

class RegionController {
 public:
    constexpr RegionController() = default;

    // For the writer: see runtime/gate.hpp.
    Recording begin() noexcept;
    void thread_begins() noexcept;
    void thread_ends() noexcept;
    void start_over_in_child() noexcept;
    bool decides() const noexcept { return running() != nullptr && running()->decides; }

    // A site comes before the first stream.
    void begin_here() noexcept;
    // Null where there are no chains, or before the process has begun.
    Running* running() const noexcept { return running_.load(std::memory_order_acquire); }

    // In the calling thread, which comes by here maybe for the first time.
    void hit(Kind kind, uint64_t value, int64_t detail = 0) noexcept;
    void hit(Kind kind, std::string_view text, int64_t detail) noexcept;

    // For a thread that is being created by the calling one.
    uint32_t number_next_thread() noexcept { return numbers_.next(); }
    // The calling thread is the one of that number, and begins.
    void thread_starts(uint32_t number) noexcept;
    uint32_t own_number() noexcept;

    // As if an alarm had fired. False where this process has no controller.
    bool fire(Event event, uint32_t thread, bool is_broadcast) noexcept;
    Delivery& delivery() noexcept { return delivery_; }

 private:
    bool make() noexcept;
    Fault read(ControlSettings& settings, Plan& plan) noexcept;
    void fired(const Firing& firing) noexcept;
    bool attach() noexcept;
    void attach_here() noexcept;

    enum class State : uint8_t { unborn, absent, present };
    std::atomic<State> state_{State::unborn};
    Mutex mutex_;
    Recording first_ = Recording::on;
    std::atomic<Running*> running_{nullptr};
    Delivery delivery_;
    ThreadNumbers numbers_;
    ThreadTable threads_;
};

extern Immortal<RegionController> the_controller;
inline RegionController& controller() {
    return the_controller.value;
}

}  // namespace ovni::region
