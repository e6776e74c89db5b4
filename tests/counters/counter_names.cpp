// Names of counters, and the lists that a user writes.
#include "core/counter_names.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

namespace ovni::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(const CounterChoice& choice) {
    std::vector<std::string> names;
    for (const CounterRow& row : choice.rows()) names.emplace_back(row.name);
    return names;
}

std::vector<std::string> chosen(std::string_view list) {
    CounterChoice choice;
    EXPECT_EQ(choice.take(list), "") << list;
    return names_of(choice);
}

TEST(CounterNames, EitherSpellingChoosesACounterOnce) {
    EXPECT_THAT(chosen("faults,page-faults,cs,cpu-cycles"),
                ElementsAre("page-faults", "context-switches", "cycles"));
}

TEST(CounterNames, GroupsStandForTheirCountersAndDashesLeaveOut) {
    EXPECT_THAT(chosen("ipc"), ElementsAre("instructions", "cycles"));
    EXPECT_THAT(chosen("default,-rss,-cs"),
                ElementsAre("instructions", "cycles", "task-clock", "page-faults"));
    for (const CounterGroupName& group : counter_groups) EXPECT_FALSE(chosen(group.name).empty());
}

TEST(CounterNames, EventsOfTheProcessorHaveNumbers) {
    CounterChoice choice;
    EXPECT_EQ(choice.take("r1c2"), "");
    EXPECT_EQ(choice.rows()[0].type, PERF_TYPE_RAW);
    EXPECT_EQ(choice.rows()[0].config, 0x1c2u);
    for (const char* wrong : {"r", "rxyz", "r12345678901234567"})
        EXPECT_EQ(CounterChoice().take(wrong), wrong);
}

TEST(CounterNames, AWordThatIsNoneIsReturned) {
    CounterChoice choice;
    EXPECT_EQ(choice.take("page-faults,page-flauts,cs"), "page-flauts");
    EXPECT_THAT(names_of(choice), ElementsAre("page-faults"));
    EXPECT_EQ(CounterChoice().take("-nothing"), "-nothing");
}

TEST(CounterNames, AtMostSixteenCountersAreTaken) {
    std::string list;
    for (int i = 1; i <= 17; ++i) list += "r" + std::to_string(i) + ",";
    CounterChoice choice;
    EXPECT_EQ(choice.take(list), "r17");
    EXPECT_TRUE(choice.is_full());
}

TEST(CounterNames, NoTwoHaveOneTypeOrName) {
    std::set<uint32_t> types;
    std::set<std::string_view> names;
    for (const CounterRow& row : counter_rows) {
        EXPECT_TRUE(types.insert(row.prv_type).second) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_LT(row.name.size(), 32u) << "the writer's room for a name";
    }
    // These are what views of the established tracer show.
    EXPECT_EQ(find_counter("instructions")->prv_type, 42'000'050u);
    EXPECT_EQ(find_counter("cycles")->prv_type, 42'000'059u);
}

}  // namespace
}  // namespace ovni::test
