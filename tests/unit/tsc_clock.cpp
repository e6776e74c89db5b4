// The clock on this machine: readers in several threads while it is disciplined, and its distance from
// CLOCK_MONOTONIC.
#include "ovni/tsc_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "core/clock_discipline.hpp"

namespace ovni::test {

namespace {

using namespace std::chrono_literals;

// Those of this machine with a CLOCK_MONOTONIC that is up to `noise` ns off, differently in each step: so
// every step publishes a segment, half of them slower than the one before.
struct NoisyClocks : DisciplineClocks {
    const int64_t* offset = nullptr;
    int64_t monotonic_ns() const { return HostClocks::monotonic_ns() + *offset; }
};

class TscClockTest : public ::testing::Test {
 protected:
    void SetUp() override {
        if (!DisciplineClocks::tsc_is_usable()) GTEST_SKIP() << "this machine has no invariant TSC";
        format_clock_page(page_, {});
    }

    // Runs `reader` in that many threads until the page was stepped that often.
    template <class Reader>
    void read_while_stepping(int threads, int steps, int64_t noise, Reader reader) {
        std::atomic<bool> stop{false};
        std::vector<std::thread> readers;
        readers.reserve(static_cast<size_t>(threads));
        for (int i = 0; i < threads; ++i) readers.emplace_back([&, i] { reader(i, stop); });
        int64_t offset = 0;
        ClockDiscipline<NoisyClocks> discipline(page_, {{}, &offset});
        std::minstd_rand random(1);
        for (int i = 0; i < steps; ++i) {
            std::this_thread::sleep_for(1ms);
            if (page_.index > 0 && noise > 0)
                offset = static_cast<int64_t>(random() % static_cast<uint64_t>(2 * noise)) - noise;
            discipline.step();
        }
        stop = true;
        for (std::thread& thread : readers) thread.join();
    }

    ClockPage page_;
};

// Reads as an emission does, by a segment that is kept from one reading to the next.
class KeepingReader {
 public:
    explicit KeepingReader(ClockPage& page) : page_(page) { keep(); }

    uint64_t operator()() {
        detail::SegmentGuess guess = detail::load_guess(kept_);
        uint64_t t = HostClocks::ticks_in_order();
        if (detail::holds_at(page_, guess, t)) return ++by_kept, guess.at(t);
        keep();
        return read_clock_in_order(page_);
    }

    uint64_t by_kept = 0;

 private:
    void keep() { detail::keep_guess(kept_, detail::guess_segment(page_)); }

    ClockPage& page_;
    detail::SegmentGuess kept_{};
};

TEST_F(TscClockTest, NeverGoesBackWithinAThread) {
    std::atomic<uint64_t> readings{0};
    std::atomic<uint64_t> decreases{0};
    read_while_stepping(4, 1000, 100'000, [&](int, std::atomic<bool>& stop) {
        uint64_t last = 0;
        uint64_t count = 0;
        for (; !stop.load(std::memory_order_relaxed); ++count) {
            uint64_t now = read_clock(page_);
            if (now < last) ++decreases;
            last = now;
        }
        readings += count;
    });
    EXPECT_EQ(decreases, 0U);
    RecordProperty("readings", std::to_string(readings));
    EXPECT_GT(page_.published, 100U);
}

TEST_F(TscClockTest, WhatAnotherThreadReadBeforeIsNotLater) {
    std::atomic<uint64_t> latest{0};
    std::atomic<uint64_t> violations{0};
    read_while_stepping(4, 1000, 100'000, [&](int, std::atomic<bool>& stop) {
        while (!stop.load(std::memory_order_relaxed)) {
            uint64_t of_another = latest.load(std::memory_order_acquire);
            uint64_t now = read_clock_in_order(page_);
            if (now < of_another) ++violations;
            latest.store(now, std::memory_order_release);
        }
    });
    EXPECT_EQ(violations, 0U);
}

// Segments of a few us whose slopes differ by a factor of 8, and margins so short that many come too late:
// the ring goes round while readers sleep, and they meet every stage of a publication.
TEST_F(TscClockTest, SegmentsThatAreLateOrGoneDoNoHarm) {
    ClockPublisher<DisciplineClocks> publisher(page_, {});
    uint64_t rate = (uint64_t{1} << 60) / 4;
    auto append = [&](uint64_t margin, uint64_t multiplier) {
        uint64_t start = publisher.next_start(margin);
        uint64_t least = static_cast<uint64_t>(HostClocks::monotonic_ns()) + 1'000'000;
        return publisher.append(start, publisher.is_linear() ? publisher.at(start) : least, multiplier);
    };
    std::atomic<uint64_t> latest{0};
    std::atomic<uint64_t> violations{0};
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> by_kept{0};
    auto read = [&](bool keeps) {
        KeepingReader reader(page_);
        uint64_t last = 0;
        while (!stop.load(std::memory_order_relaxed)) {
            uint64_t of_another = latest.load(std::memory_order_acquire);
            uint64_t now = keeps ? reader() : read_clock_in_order(page_);
            if (now < of_another || now < last) ++violations;
            last = now;
            latest.store(now, std::memory_order_release);
        }
        by_kept += reader.by_kept;
    };
    std::vector<std::thread> readers;
    readers.reserve(4);
    for (int i = 0; i < 4; ++i) readers.emplace_back(read, i % 2 == 0);
    std::minstd_rand random(1);
    uint64_t late = 0;
    auto end = std::chrono::steady_clock::now() + 1s;
    while (std::chrono::steady_clock::now() < end) {
        bool done = append(random() % 3 == 0 ? 50'000 : random() % 3'000, rate << random() % 4);
        late += done ? 0 : 1;
        while (done && HostClocks::ticks() < publisher.start()) {
        }
    }
    stop = true;
    for (std::thread& thread : readers) thread.join();
    EXPECT_EQ(violations, 0U);
    EXPECT_GT(late, 0U);
    EXPECT_GT(by_kept, 0U);
    EXPECT_GT(page_.published, 2 * ClockPage::ring);
}

TEST_F(TscClockTest, TheChangeFromTheSystemsClockGoesForwards) {
    for (int round = 0; round < 50; ++round) {
        format_clock_page(page_, {});
        std::atomic<uint64_t> latest{0};
        std::atomic<uint64_t> violations{0};
        read_while_stepping(2, 5, 0, [&](int, std::atomic<bool>& stop) {
            while (!stop.load(std::memory_order_relaxed)) {
                uint64_t of_another = latest.load(std::memory_order_acquire);
                uint64_t now = read_clock_in_order(page_);
                if (now < of_another) ++violations;
                latest.store(now, std::memory_order_release);
            }
        });
        ASSERT_EQ(violations, 0U) << round;
    }
}

TEST_F(TscClockTest, StaysNearTheMonotonicClock) {
    for (std::chrono::milliseconds interval : {1ms, 10ms, 100ms}) {
        format_clock_page(page_, {});
        ClockDiscipline discipline(page_);
        auto end = std::chrono::steady_clock::now() + 500ms;
        while (std::chrono::steady_clock::now() < end) {
            discipline.step();
            std::this_thread::sleep_for(interval);
            auto before = static_cast<uint64_t>(HostClocks::monotonic_ns());
            uint64_t now = read_clock(page_);
            auto after = static_cast<uint64_t>(HostClocks::monotonic_ns());
            EXPECT_GT(now + 1'000'000, before);
            EXPECT_LT(now, after + 1'000'000);
        }
        EXPECT_EQ(page_.state, static_cast<uint32_t>(ClockState::tsc));
    }
}

TEST(TscClock, APageWithoutAWriterGivesTheSystemsClock) {
    ClockPage page;
    format_clock_page(page, {});
    auto before = static_cast<uint64_t>(HostClocks::monotonic_ns());
    uint64_t now = read_clock(page);
    EXPECT_LE(before, now);
    EXPECT_LE(now, static_cast<uint64_t>(HostClocks::monotonic_ns()));
}

}  // namespace

}  // namespace ovni::test
