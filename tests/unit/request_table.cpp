// The table of requests knows what a map knows, whatever came and went.
#include "calls/request_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ovni::test {
namespace {

void expect_equal(const RequestTable& table, const std::map<uint32_t, uint64_t>& expected) {
    std::map<uint32_t, uint64_t> found;
    table.visit([&](const Request& request) { found[request.number] = request.bytes; });
    EXPECT_EQ(found, expected);
    EXPECT_EQ(table.size(), expected.size());
}

TEST(RequestTableTest, KnowsWhatAMapKnows) {
    constexpr int steps = 200'000;
    std::mt19937 random(1);
    RequestTable table;
    std::map<uint32_t, uint64_t> expected;
    for (int step = 0; step < steps; ++step) {
        // Numbers close together collide, and some are far away.
        const uint32_t number = random() % 400 * (random() % 4 == 0 ? 0x9e3779b1u : 1u);
        if (random() % 2 == 0) {
            Request request;
            request.number = number;
            request.bytes = random();
            table.put(request);
            expected[number] = request.bytes;
        } else {
            table.remove(number);
            expected.erase(number);
        }
        const uint32_t other = random() % 400;
        const Request* found = table.find(other);
        const auto known = expected.find(other);
        ASSERT_EQ(found != nullptr, known != expected.end());
        if (found) {
            ASSERT_EQ(found->bytes, known->second);
        }
    }
    expect_equal(table, expected);
}

TEST(RequestTableTest, LeavesRequestsWhereTheyAre) {
    constexpr uint32_t count = 10'000;
    RequestTable table;
    Request request;
    request.number = 1;
    const Request* first = &table.put(request);
    for (uint32_t number = 2; number < count; ++number) {
        request.number = number;
        table.put(request);
    }
    EXPECT_EQ(table.find(1), first);
    EXPECT_EQ(first->number, 1u);
}

TEST(RequestTableTest, ANewTableIsEmpty) {
    RequestTable table;
    EXPECT_EQ(table.find(0), nullptr);
    table.remove(0);
    EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace ovni::test
