// A machine whose time stands still unless it is told to go on: its TSC and its CLOCK_MONOTONIC run at rates
// that the test sets, and jump when it says so. What a thread would miss while it does not run happens in a
// callback before a reading is taken, or between taking and returning it.
#pragma once

#include <functional>
#include <utility>

#include "core/clock_discipline.hpp"

namespace ovni::test {

class VirtualMachine {
 public:
    // The unit is ns of the true time.
    void pass(int64_t ns) { now_ += ns; }
    void set_monotonic_rate(int64_t ppb) {
        monotonic_.offset = monotonic_ns() - now_;
        monotonic_.anchor = now_;
        monotonic_.ppb = ppb;
    }
    void set_tsc_mhz(int64_t mhz) {
        tsc_at_anchor_ = tsc();
        tsc_anchor_ = now_;
        mhz_ = mhz;
    }
    void jump_monotonic(int64_t ns) { monotonic_.offset += ns; }
    void jump_tsc(int64_t ticks) { tsc_at_anchor_ += static_cast<uint64_t>(ticks); }

    int64_t now() const { return now_; }
    uint64_t tsc() const {
        return tsc_at_anchor_ + static_cast<uint64_t>((now_ - tsc_anchor_) * mhz_ / 1000);
    }
    int64_t monotonic_ns() const {
        auto passed = static_cast<double>(now_ - monotonic_.anchor);
        return now_ + monotonic_.offset +
               static_cast<int64_t>(passed * static_cast<double>(monotonic_.ppb) / 1e9);
    }

    bool tsc_is_usable = true;
    int64_t ns_per_reading = 10;
    // Called once, before the next plain reading of the TSC is taken.
    std::function<void()> before_ticks;
    // Called once, after the next reading of the TSC (a plain one, one in order) has been taken.
    std::function<void()> after_ticks, after_ticks_in_order;

 private:
    struct {
        int64_t offset = 5'000'000'000, anchor = 0, ppb = 0;
    } monotonic_;
    int64_t now_ = 0;
    uint64_t tsc_at_anchor_ = 1'000'000'000'000;
    int64_t tsc_anchor_ = 0;
    int64_t mhz_ = 2596;
};

struct VirtualClocks {
    VirtualMachine* machine = nullptr;

    uint64_t ticks() const {
        if (machine->before_ticks) std::exchange(machine->before_ticks, nullptr)();
        return taken(machine->after_ticks);
    }
    uint64_t ticks_in_order() const { return taken(machine->after_ticks_in_order); }
    int64_t monotonic_ns() const {
        machine->pass(machine->ns_per_reading);
        return machine->monotonic_ns();
    }
    bool tsc_is_usable() const { return machine->tsc_is_usable; }

 private:
    uint64_t taken(std::function<void()>& then) const {
        machine->pass(machine->ns_per_reading);
        uint64_t t = machine->tsc();
        if (then) std::exchange(then, nullptr)();
        return t;
    }
};

// A page with its writer on such a machine.
class VirtualClock {
 public:
    explicit VirtualClock(const ClockCorrection& hook = {}) { format_clock_page(page, hook); }

    uint64_t read() { return read_clock(page, clocks); }
    int64_t error() {
        auto clock = static_cast<int64_t>(read());
        return clock - page.hook.apply(machine.monotonic_ns());
    }
    ClockSegment& current() { return page.segments[page.index % ClockPage::ring]; }

    // That many steps, each after `interval` ns.
    template <class Writer>
    void run(Writer& writer, int steps, int64_t interval) {
        for (int i = 0; i < steps; ++i) {
            machine.pass(interval);
            writer.step();
        }
    }

    VirtualMachine machine;
    VirtualClocks clocks{&machine};
    ClockPage page;
};

}  // namespace ovni::test
