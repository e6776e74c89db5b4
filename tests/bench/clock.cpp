// clock: what the TSC clock costs per call, as against rdtsc and clock_gettime, and how far it is from
// CLOCK_MONOTONIC. The variants of a cost take turns in short chunks, so that the ratios are those of one
// moment of the machine.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "core/clock_discipline.hpp"

namespace ovni::bench {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

double percentile(std::vector<double>& values, double p) {
    auto at = values.begin() + static_cast<ptrdiff_t>(p * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

// Steps the page in a thread of its own.
class Stepper {
 public:
    Stepper(ClockPage& page, std::chrono::microseconds interval)
        : thread_([this, &page, interval] {
              ClockDiscipline discipline(page);
              for (; !stop_.load(std::memory_order_relaxed); std::this_thread::sleep_for(interval))
                  discipline.step();
          }) {}
    ~Stepper() {
        stop_ = true;
        thread_.join();
    }

 private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

class Deviation {
 public:
    explicit Deviation(ClockPage& page) : page_(page) {}

    // Takes readings every 10 us or so; those that were interrupted are left out.
    void measure(const char* what, steady_clock::duration duration) {
        errors_.clear();
        auto end = steady_clock::now() + duration;
        while (steady_clock::now() < end) {
            int64_t before = HostClocks::monotonic_ns();
            auto now = static_cast<int64_t>(read_clock_in_order(page_));
            int64_t after = HostClocks::monotonic_ns();
            if (after - before < 200)
                errors_.push_back(
                    std::abs(static_cast<double>(now - before) - static_cast<double>(after - before) / 2));
            auto next = steady_clock::now() + 10us;
            while (steady_clock::now() < next) {
            }
        }
        double largest = *std::max_element(errors_.begin(), errors_.end());
        std::printf("%-44s %8.0f %8.0f %8.0f %9zu\n", what, percentile(errors_, 0.5),
                    percentile(errors_, 0.99), largest, errors_.size());
    }

 private:
    ClockPage& page_;
    std::vector<double> errors_;
};

void wait_for_calibration(const ClockPage& page) {
    while (__atomic_load_n(&page.index, __ATOMIC_ACQUIRE) == 0) std::this_thread::sleep_for(100us);
}

void show_deviation() {
    std::printf("%-44s %8s %8s %8s %9s\n", "distance from CLOCK_MONOTONIC, ns", "median", "99 %", "largest",
                "readings");
    ClockPage page;
    Deviation deviation(page);
    for (std::chrono::milliseconds interval : {1ms, 10ms, 100ms}) {
        format_clock_page(page, {});
        Stepper stepper(page, interval);
        wait_for_calibration(page);
        char what[64];
        std::snprintf(what, sizeof what, "steps every %3d ms: first 10 ms",
                      static_cast<int>(interval.count()));
        deviation.measure(what, 10ms);
        std::snprintf(what, sizeof what, "steps every %3d ms: 2 s", static_cast<int>(interval.count()));
        deviation.measure(what, 2s);
        std::printf("%44s %lu segments, %lu late, %lu steps\n", "", page.published, page.late, page.steps);
    }
    for (std::chrono::milliseconds before : {3ms, 10ms, 100ms, 2000ms}) {
        format_clock_page(page, {});
        {
            Stepper stepper(page, 1ms);
            wait_for_calibration(page);
            std::this_thread::sleep_for(before);
        }
        std::this_thread::sleep_for(10s);
        char what[64];
        std::snprintf(what, sizeof what, "10 s without, after %4d ms of steps",
                      static_cast<int>(before.count()));
        deviation.measure(what, 10ms);
    }
}

class Costs {
 public:
    void show(const char* what) {
        std::printf("\n%-44s %8s %8s %8s\n", what, "least", "median", "ratio");
        for (int round = 0; round < rounds; ++round) run_round();
        size_t plain = 0;
        for (size_t i = 0; i < names.size(); ++i) {
            if (i == 4) plain = 4;
            std::vector<double> ratios;
            for (size_t round = 0; round < times_[i].size(); ++round)
                ratios.push_back(times_[i][round] / times_[plain][round]);
            std::printf("%-44s %8.2f %8.2f %8.3f\n", names[i], percentile(times_[i], 0.01),
                        percentile(times_[i], 0.5), percentile(ratios, 0.5));
        }
        for (std::vector<double>& times : times_) times.clear();
    }

    ClockPage& page() { return *page_; }

 private:
    static constexpr int rounds = 2000;
    static constexpr int calls = 2000;
    static constexpr size_t event = 12;
    static constexpr std::array names{"rdtsc",
                                      "read_clock",
                                      "read_clock_in_order",
                                      "clock_gettime",
                                      "rdtsc and 12 bytes stored",
                                      "read_clock and 12 bytes stored",
                                      "clock_gettime and 12 bytes stored"};

    template <class Read>
    void time_calls(size_t variant, Read read) {
        uint64_t sum = 0;
        uint64_t begin = HostClocks::ticks_in_order();
        for (int i = 0; i < calls; ++i) {
            sum = read();
            asm volatile("" : : "r"(sum));
        }
        note(variant, begin);
    }
    template <class Read>
    void time_stores(size_t variant, Read read) {
        uint8_t* at = events_.get();
        uint64_t begin = HostClocks::ticks_in_order();
        for (int i = 0; i < calls; ++i, at += event) {
            constexpr uint32_t code = 0x664d5500;
            uint64_t now = read();
            std::memcpy(at, &code, sizeof code);
            std::memcpy(at + sizeof code, &now, sizeof now);
            asm volatile("" : : : "memory");
        }
        note(variant, begin);
    }
    void note(size_t variant, uint64_t begin) {
        auto ticks = static_cast<double>(HostClocks::ticks_in_order() - begin);
        times_[variant].push_back(ticks * static_cast<double>(page_->rate) /
                                  static_cast<double>(uint64_t{1} << 60) / calls);
    }
    void run_round() {
        auto rdtsc = [] { return HostClocks::ticks(); };
        auto system = [] { return static_cast<uint64_t>(HostClocks::monotonic_ns()); };
        auto clock = [this] { return read_clock(*page_); };
        time_calls(0, rdtsc);
        time_calls(1, clock);
        time_calls(2, [this] { return read_clock_in_order(*page_); });
        time_calls(3, system);
        time_stores(4, rdtsc);
        time_stores(5, clock);
        time_stores(6, system);
    }

    std::unique_ptr<ClockPage> page_ = std::make_unique<ClockPage>();
    std::unique_ptr<uint8_t[]> events_{new uint8_t[calls * event]()};
    std::array<std::vector<double>, names.size()> times_;
};

void show_costs() {
    Costs costs;
    format_clock_page(costs.page(), {});
    {
        Stepper stepper(costs.page(), 1ms);
        wait_for_calibration(costs.page());
        std::this_thread::sleep_for(50ms);
        costs.show("ns per call, stepped every 1 ms");
    }
    costs.show("ns per call, not stepped");
}

}  // namespace

}  // namespace ovni::bench

int main() {
    if (!ovni::DisciplineClocks::tsc_is_usable()) {
        std::puts("this machine has no invariant TSC: the clock is clock_gettime");
        return 0;
    }
    ovni::bench::show_costs();
    std::puts("");
    ovni::bench::show_deviation();
}
