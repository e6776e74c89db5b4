// Local work on several threads.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ovni {
namespace {

TEST(Parallel, EachCallIsMadeOnce) {
    for (const size_t threads : {1u, 2u, 7u}) {
        std::vector<std::atomic<int>> calls(1000);
        for_each_in_parallel(threads, calls.size(), [&](size_t i) { ++calls[i]; });
        for (const auto& times : calls) EXPECT_EQ(times, 1);
    }
}

TEST(Parallel, NothingIsNoWork) {
    for_each_in_parallel(4, 0, [](size_t) { FAIL(); });
}

TEST(Parallel, OneThreadIsTheCallingOne) {
    for_each_in_parallel(1, 10, [caller = std::this_thread::get_id()](size_t) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
    });
}

// Calls that wait for each other end only if they run at a time.
TEST(Parallel, ThreadsWorkAtATime) {
    constexpr size_t threads = 3;
    std::atomic<size_t> met = 0;
    for_each_in_parallel(threads, threads, [&](size_t) {
        ++met;
        while (met < threads) std::this_thread::yield();
    });
    EXPECT_EQ(met, threads);
}

TEST(Parallel, TheLowestFailureIsThrownAfterAllCalls) {
    std::atomic<int> calls = 0;
    try {
        for_each_in_parallel(3, 100, [&](size_t i) {
            ++calls;
            if (i == 20 || i == 70) throw std::runtime_error(std::to_string(i));
        });
        FAIL();
    } catch (const std::runtime_error& failure) {
        EXPECT_STREQ(failure.what(), "20");
    }
    EXPECT_EQ(calls, 100);
}

TEST(Parallel, ThereIsACore) {
    EXPECT_GE(usable_cores(), 1u);
}

}  // namespace
}  // namespace ovni
