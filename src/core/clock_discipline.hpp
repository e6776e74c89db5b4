// The writer of a ClockPage: every step() compares the TSC with CLOCK_MONOTONIC (corrected by the page's
// hook), and steers the clock of ovni/tsc_clock.hpp so that their difference goes to zero without ever going
// back.
//
// The rate is the slope between a pair of readings now and one from 0.5 to 1 s ago. At first that baseline is
// shorter; at 2 ms the first segment is published. The error e of the clock is steered out over a horizon h
// of twice the interval between steps, at least 32 ms: slope = rate * (1 + e / h), between rate / 64 and 2
// rate. If TSC and CLOCK_MONOTONIC went apart by a jump, the jump is counted. The clock then jumps forwards
// at once, or goes on with a slope of rate / 64 until CLOCK_MONOTONIC has caught up.
//
// Distance from CLOCK_MONOTONIC, measured by tests/bench/clock.cpp on a virtual machine with 2 busy CPUs:
//   first 10 ms                       24 to 31 ns in the median, 91 at most (it starts above, see begin())
//   2 s, steps every 1, 10, 100 ms    5, 5, 7 ns in the median, 86, 78, 96 at most
//   after 10 s without steps          35 us if they ended 3 ms after the calibration, 5 us if after 10 ms,
//                                     1 to 2 us if after 0.1 s or more
// plus the steering of CLOCK_MONOTONIC itself meanwhile, at most 500 us per second.
//
// For one thread at a time. If a writer dies, another one continues with its page. No exceptions, no
// allocation.
#pragma once

#include "core/clock_publisher.hpp"
#include "core/tsc_host.hpp"

namespace ovni {

enum class ClockStep : uint8_t {
    not_usable,  // the TSC is unusable: clock_gettime is the clock, and further steps do nothing
    measured,    // nothing to change yet
    published,
    late,  // the thread was delayed while it published: the clock is unchanged, the next step tries again
};

template <class Clocks = DisciplineClocks>
class ClockDiscipline {
 public:
    // The page is mapped writable, formatted, and outlives the object.
    explicit ClockDiscipline(ClockPage& page, const Clocks& clocks = {}) noexcept
        : publisher_(page, clocks), page_(page), clocks_(clocks) {
        if (publisher_.is_linear()) {
            double per_tick = 1.0 / static_cast<double>(uint64_t{1} << 60);
            uint64_t rate = page.rate != 0 ? page.rate : publisher_.current().multiplier;
            rate_ = static_cast<double>(rate) * per_tick;
            baseline_ns_ = static_cast<int64_t>(page.rate_baseline_ns);
            published_baseline_ns_ = baseline_ns_;
            set_state(ClockState::tsc);
        } else if (page.published != 0 || !clocks_.tsc_is_usable()) {
            set_state(ClockState::not_usable);
        }
    }

    // Call about every 1 to 100 ms.
    ClockStep step() noexcept {
        if (page_.state == static_cast<uint32_t>(ClockState::not_usable)) return ClockStep::not_usable;
        Pair now = read_pair();
        if (has_last_ && now.tsc <= last_.tsc) return give_up();
        if (is_blurred(now)) return ClockStep::measured;
        if (!publisher_.is_linear()) {
            follow_rate(now);
            remember(now);
            return baseline_ns_ == 0 ? ClockStep::measured : begin(now);
        }
        if (now.tsc + ticks(settled_baseline) < publisher_.start()) return give_up();
        if (now.tsc < publisher_.start()) return ClockStep::measured;
        int64_t since = has_last_ ? last_.ns : static_cast<int64_t>(publisher_.current().ns_start);
        int64_t interval = std::max<int64_t>(now.ns - since, 0);
        bool jumped = has_jumped(now, interval);
        if (jumped) {
            __atomic_store_n(&page_.steps, page_.steps + 1, __ATOMIC_RELAXED);
            restart_rate(now);
        } else {
            follow_rate(now);
        }
        jumped_before_ = jumped;
        remember(now);
        return steer(now, interval, jumped);
    }

 private:
    // CLOCK_MONOTONIC was `ns` when the TSC was `tsc`, within half of `width` ticks.
    struct Pair {
        uint64_t tsc = 0;
        int64_t ns = 0;
        uint64_t width = 0;
    };

    static constexpr int64_t ms = 1'000'000;
    static constexpr int64_t first_baseline = 2 * ms;
    static constexpr int64_t settled_baseline = 500 * ms;
    static constexpr int64_t shortest_horizon = 32 * ms;
    static constexpr int64_t rest = 8 * ms;  // duration of a segment, unless something forces a new one
    static constexpr int64_t error_worth_a_segment = 250;
    static constexpr int64_t margin_ns = 20'000;
    static constexpr int readings_per_pair = 8;

    // The narrowest of several readings of CLOCK_MONOTONIC between two of the TSC.
    Pair read_pair() const noexcept {
        Pair best;
        for (int i = 0; i < readings_per_pair; ++i) {
            uint64_t before = clocks_.ticks_in_order();
            auto ns = static_cast<int64_t>(detail::system_clock(page_, clocks_));
            uint64_t width = clocks_.ticks_in_order() - before;
            if (i == 0 || width < best.width) best = {before + width / 2, ns, width};
        }
        return best;
    }

    // True if the pair is much wider than usual, because this thread did not get its processor. At most seven
    // in a row are skipped.
    bool is_blurred(const Pair& now) noexcept {
        if (narrowest_ == 0 || now.width < narrowest_) narrowest_ = now.width;
        blurred_ = now.width > 16 * narrowest_ + 1024 ? blurred_ + 1 : 0;
        return blurred_ % 8 != 0;
    }

    void remember(const Pair& now) noexcept {
        last_ = now;
        has_last_ = true;
    }

    static double slope(const Pair& from, const Pair& to) noexcept {
        return static_cast<double>(to.ns - from.ns) / static_cast<double>(to.tsc - from.tsc);
    }

    void follow_rate(const Pair& now) noexcept {
        if (!has_anchor_) {
            old_ = young_ = now;
            has_anchor_ = true;
            return;
        }
        int64_t baseline = now.ns - old_.ns;
        bool is_long = baseline >= std::clamp(baseline_ns_, first_baseline, settled_baseline);
        bool is_sharp = (old_.width + now.width) * 4096 < now.tsc - old_.tsc || baseline >= settled_baseline;
        if (is_long && is_sharp) set_rate(slope(old_, now), baseline);
        if (now.ns - young_.ns >= settled_baseline) {
            old_ = young_;
            young_ = now;
        }
    }

    // Keeps the rate after a jump, unless the last interval ended with a jump, too: then the rate itself is
    // wrong.
    void restart_rate(const Pair& now) noexcept {
        if (jumped_before_ && now.ns > last_.ns) set_rate(slope(last_, now), now.ns - last_.ns);
        old_ = young_ = now;
        has_anchor_ = true;
    }

    // Rates of a TSC from 250 MHz to 64 GHz.
    void set_rate(double rate, int64_t baseline) noexcept {
        if (!(rate >= 1.0 / 64 && rate <= 4.0)) return;
        rate_ = rate;
        baseline_ns_ = baseline;
        __atomic_store_n(&page_.rate, multiplier(1), __ATOMIC_RELAXED);
        __atomic_store_n(&page_.rate_baseline_ns, static_cast<uint64_t>(baseline), __ATOMIC_RELAXED);
    }

    uint64_t multiplier(double factor) const noexcept {
        return static_cast<uint64_t>(rate_ * factor * static_cast<double>(uint64_t{1} << 60));
    }
    uint64_t ticks(int64_t ns) const noexcept {
        return static_cast<uint64_t>(static_cast<double>(ns) / rate_);
    }

    // A greater difference than the steering of CLOCK_MONOTONIC and an inexact rate can cause.
    static int64_t jump_threshold(int64_t interval) noexcept { return ms + interval / 1024; }

    bool has_jumped(const Pair& now, int64_t interval) const noexcept {
        int64_t expected =
            has_last_ ? last_.ns + static_cast<int64_t>(rate_ * static_cast<double>(now.tsc - last_.tsc))
                      : static_cast<int64_t>(publisher_.at(now.tsc));
        int64_t surprise = now.ns - expected;
        return (surprise < 0 ? -surprise : surprise) > jump_threshold(interval);
    }

    // Publishes the first segment, from the earliest tick that the pair allows, so that the clock is never
    // below CLOCK_MONOTONIC.
    ClockStep begin(const Pair& now) noexcept {
        uint64_t earliest = now.tsc - now.width / 2;
        auto ns_at = [&](uint64_t tsc) {
            auto ahead = static_cast<double>(tsc - earliest) * rate_ * (1 + 1.0 / 2048);
            return static_cast<uint64_t>(now.ns) + static_cast<uint64_t>(ahead) + 1;
        };
        if (!append(ns_at, multiplier(1))) return ClockStep::late;
        set_state(ClockState::tsc);
        return ClockStep::published;
    }

    ClockStep steer(const Pair& now, int64_t interval, bool jumped) noexcept {
        int64_t error = now.ns - static_cast<int64_t>(publisher_.at(now.tsc));
        bool goes_up = error > jump_threshold(interval);
        bool is_due = jumped || goes_up || error > error_worth_a_segment || error < -error_worth_a_segment ||
                      now.ns - static_cast<int64_t>(publisher_.current().ns_start) >= rest ||
                      baseline_ns_ > published_baseline_ns_ + published_baseline_ns_ / 2;
        if (!is_due) return ClockStep::measured;
        uint64_t lift = goes_up ? static_cast<uint64_t>(error) : 0;
        if (goes_up) error = 0;
        int64_t horizon = std::max(shortest_horizon, 2 * interval);
        double factor = 1 + static_cast<double>(error) / static_cast<double>(horizon);
        auto ns_at = [&](uint64_t tsc) { return publisher_.at(tsc) + lift; };
        return append(ns_at, multiplier(std::clamp(factor, 1.0 / 64, 2.0))) ? ClockStep::published
                                                                            : ClockStep::late;
    }

    // A thread that lost its processor while it published tries again, further ahead.
    template <class NsAt>
    bool append(NsAt ns_at, uint64_t multiplier) noexcept {
        int64_t margin = margin_ns;
        for (int attempt = 0; attempt < 3; ++attempt, margin *= 4) {
            uint64_t start = publisher_.next_start(ticks(margin));
            if (publisher_.append(start, ns_at(start), multiplier)) {
                published_baseline_ns_ = baseline_ns_;
                return true;
            }
            __atomic_store_n(&page_.late, page_.late + 1, __ATOMIC_RELAXED);
        }
        return false;
    }

    // The TSC was set back: its values no longer name moments.
    ClockStep give_up() noexcept {
        publisher_.retire(publisher_.is_linear() ? publisher_.at(std::max(last_.tsc, publisher_.start()))
                                                 : 0);
        set_state(ClockState::not_usable);
        return ClockStep::not_usable;
    }

    void set_state(ClockState state) noexcept {
        __atomic_store_n(&page_.state, static_cast<uint32_t>(state), __ATOMIC_RELAXED);
    }

    ClockPublisher<Clocks> publisher_;
    ClockPage& page_;
    Pair last_, old_, young_;
    uint64_t narrowest_ = 0;
    double rate_ = 0;
    int64_t baseline_ns_ = 0, published_baseline_ns_ = 0;
    unsigned blurred_ = 0;
    bool has_last_ = false, has_anchor_ = false, jumped_before_ = false;
    [[no_unique_address]] Clocks clocks_;
};

}  // namespace ovni
