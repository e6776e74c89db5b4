// The active chains of a process: the engine, and the facts of alarms that the engine does not hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ovni/private.h"
#include "region/control_settings.hpp"
#include "region/engine.hpp"
#include "region/plan.hpp"
#include "region/service.hpp"

namespace ovni::region {

struct AlarmFacts {
    std::string text;  // as the user wrote it
    AlarmKind kind = AlarmKind::icount;
    uint64_t ns = 0;  // length of a timeout
    uint64_t count = 1;
    uint16_t chain = 0;
    bool is_of_code = false;
    bool is_single = false;  // global, or for one thread: its deadline hits once

    // For a timeout: its CLOCK_MONOTONIC time; whether it has passed, for threads that begin later.
    std::atomic<uint64_t> deadline{0};
    std::atomic<bool> is_due{false};
};

class RegionController;

class Running {
 public:
    // `born`: CLOCK_MONOTONIC when the program began; timeouts that are armed first count from there.
    Running(RegionController& owner, Service& service, const Plan& plan, const ControlSettings& settings,
            uint64_t born) noexcept;

    Engine& engine() noexcept { return engine_; }
    const Engine& engine() const noexcept { return engine_; }
    AlarmFacts& facts(uint16_t alarm) noexcept { return facts_[alarm]; }
    uint16_t alarm_count() const noexcept { return static_cast<uint16_t>(count_); }
    // Bits for each MPI function, as in ovni/private.h; empty if none is awaited.
    const std::vector<uint8_t>& awaited_calls() const noexcept { return awaited_calls_; }
    // The alarms on the program's code, as in ovni/private.h.
    const std::vector<ovni_private_code_alarm>& code_alarms() const noexcept { return code_alarms_; }
    using ArmingFollower = void (*)(uint16_t alarm, int here, int elsewhere);
    void follow_arming(ArmingFollower follower) noexcept { code_armed_.store(follower); }
    // Called in a child of fork(), before an alarm fires there.
    void follow_fork(void (*in_child)()) noexcept { in_child_.store(in_child); }
    void start_over_in_child() noexcept {
        if (auto* in_child = in_child_.load()) in_child();
    }
    const Counting& counting() const noexcept { return counting_; }
    // Call when a thread begins: applies the alarms that are armed for all threads.
    void thread_begins(Thread thread) noexcept;
    // True if an event in one thread may arm alarms of others.
    bool arms_others() const noexcept { return arms_others_; }
    bool awaits_pcontrol() const noexcept { return awaits_pcontrol_; }
    // True if a chain starts or stops recording.
    bool decides() const noexcept { return decides_; }
    // True if there are alarms that a thread of the library reports.
    bool needs_service() const noexcept { return needs_service_; }

    // True if a request of ovnictl found no armed alarm, and waits for one.
    std::atomic<bool> is_latched{false};

    void arm_timer(uint16_t alarm, uint32_t thread, uint64_t ns) noexcept;

 private:
    void set_code_alarms(const Plan& plan) noexcept;
    static void fired(void* self, const Firing& firing) noexcept;
    static void armed(void* self, uint16_t alarm, uint32_t thread) noexcept;

    RegionController& owner_;
    Service& service_;
    const uint64_t born_;
    bool is_laid_out_ = false;
    size_t count_;
    std::unique_ptr<AlarmFacts[]> facts_;
    std::vector<uint8_t> awaited_calls_;
    std::vector<std::string> code_texts_;
    std::vector<ovni_private_code_alarm> code_alarms_;
    std::atomic<ArmingFollower> code_armed_{nullptr};
    std::atomic<void (*)()> in_child_{nullptr};
    const Counting counting_;
    bool arms_others_, awaits_pcontrol_, decides_, needs_service_;
    Engine engine_;
};

}  // namespace ovni::region
