// The page through which the kernel shows a counter of the processor, made by hand.
#include "counters/counter_page.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace ovni::test {
namespace {

using counters::counter_value;
using counters::read_page;

perf_event_mmap_page page_of(int64_t offset, uint32_t index, uint16_t width) {
    perf_event_mmap_page page{};
    page.lock = 2;
    page.index = index;
    page.offset = offset;
    page.pmc_width = width;
    page.cap_user_rdpmc = 1;
    return page;
}

TEST(CounterPage, TheValueIsTheOffsetAndTheCounterWithItsSign) {
    EXPECT_EQ(counter_value(1000, 5, 48), 1005u);
    constexpr uint64_t minus_3 = (uint64_t{1} << 48) - 3;
    EXPECT_EQ(counter_value(1000, minus_3, 48), 997u);
    EXPECT_EQ(counter_value(0, 7, 64), 7u);
}

TEST(CounterPage, ReadsTheCounterBeforeTheIndex) {
    uint32_t asked = 99;
    uint64_t value = 0;
    auto pmc = [&](uint32_t counter) { return asked = counter, uint64_t{42}; };
    EXPECT_TRUE(read_page(page_of(100, 4, 48), pmc, value));
    EXPECT_EQ(asked, 3u);
    EXPECT_EQ(value, 142u);
}

TEST(CounterPage, NeedsASystemCallWhereTheProgramMayNotRead) {
    auto never = [](uint32_t) -> uint64_t {
        ADD_FAILURE() << "an instruction that would fault";
        return 0;
    };
    uint64_t value = 7;
    perf_event_mmap_page forbidden = page_of(100, 4, 48);
    forbidden.cap_user_rdpmc = 0;
    EXPECT_FALSE(read_page(forbidden, never, value));
    EXPECT_FALSE(read_page(page_of(100, 0, 48), never, value)) << "on no processor";
    EXPECT_FALSE(read_page(page_of(100, 4, 0), never, value)) << "without a width";
}

TEST(CounterPage, ReadsAgainIfTheKernelChangedIt) {
    perf_event_mmap_page page = page_of(100, 4, 48);
    int reads = 0;
    auto pmc = [&](uint32_t) {
        if (++reads == 1) page.offset = 500, page.lock = 3;
        return uint64_t{1};
    };
    uint64_t value = 0;
    EXPECT_TRUE(read_page(page, pmc, value));
    EXPECT_EQ(reads, 2);
    EXPECT_EQ(value, 501u);
}

TEST(CounterPage, GivesUpOnAPageThatNeverRests) {
    perf_event_mmap_page page = page_of(100, 4, 48);
    int reads = 0;
    auto pmc = [&](uint32_t) { return ++reads, ++page.lock, uint64_t{1}; };
    uint64_t value = 0;
    EXPECT_FALSE(read_page(page, pmc, value));
    EXPECT_GT(reads, 1);
    EXPECT_LT(reads, 100);
}

// Another thread plays the kernel: offset and counter change together, and their sum is always one of two.
TEST(CounterPage, NeverMixesTwoStates) {
    perf_event_mmap_page page = page_of(0, 4, 48);
    std::atomic<uint64_t> counter{1000};
    std::atomic<bool> stop{false};
    std::thread kernel([&] {
        for (uint64_t i = 0; !stop; ++i) {
            __atomic_fetch_add(&page.lock, 1, __ATOMIC_SEQ_CST);
            __atomic_store_n(&page.offset, static_cast<int64_t>(i % 1000), __ATOMIC_SEQ_CST);
            counter = 1000 - i % 1000;
            __atomic_fetch_add(&page.lock, 1, __ATOMIC_SEQ_CST);
        }
    });
    constexpr int enough = 1000;
    for (int good = 0; good < enough;) {
        uint64_t value = 0;
        // The real kernel changes the page where the thread cannot see it half done; here an odd lock says
        // so.
        auto pmc = [&](uint32_t) { return counter.load(); };
        const uint32_t before = __atomic_load_n(&page.lock, __ATOMIC_SEQ_CST);
        if (before % 2 != 0 || !read_page(page, pmc, value)) continue;
        if (__atomic_load_n(&page.lock, __ATOMIC_SEQ_CST) != before) continue;
        ASSERT_EQ(value, 1000u);
        ++good;
    }
    stop = true;
    kernel.join();
}

}  // namespace
}  // namespace ovni::test
