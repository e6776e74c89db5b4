// The calls of a thread, with the places that they come from.
#include "messages/scan/call_times.hpp"

#include <gtest/gtest.h>

namespace ovni {

namespace {

TEST(CallTimesTest, CallsKeepTheirFunctionsAndSites) {
    CallTimes calls;
    for (uint16_t i = 0; i < 1000; ++i)
        calls.push_back({i, i + 1, static_cast<uint16_t>(i % 7), 0, static_cast<uint32_t>(i % 11)});
    for (size_t i = 0; i < calls.size(); ++i) {
        EXPECT_EQ(calls.function(i), i % 7);
        EXPECT_EQ(calls.site(i), i % 11);
    }
}

TEST(CallTimesTest, TooManySitesAreUnknown) {
    constexpr uint32_t many = 70'000;
    CallTimes calls;
    for (uint32_t site = 1; site <= many; ++site) calls.push_back({site, site + 1, 1, 0, site});
    // A function that comes late has its calls, too.
    calls.push_back({many + 1, many + 2, 2, 0, 1});
    uint32_t known = 0;
    for (uint32_t i = 0; i < many; ++i) {
        ASSERT_EQ(calls.function(i), 1);
        if (calls.site(i) != MpiCaller::unknown) {
            ASSERT_EQ(calls.site(i), i + 1);
            ++known;
        }
    }
    EXPECT_GT(known, 60'000u);
    EXPECT_LT(known, many);
    EXPECT_EQ(calls.function(many), 2);
    EXPECT_EQ(calls.site(many), MpiCaller::unknown);
}

}  // namespace

}  // namespace ovni
