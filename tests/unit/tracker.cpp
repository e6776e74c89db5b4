// Cases that the tables of today do not reach: a CPU row that follows the active thread, and shows it as bad.
#include "emu/state/tracker.hpp"

#include <gtest/gtest.h>

#include "tests/support/trace_builder.hpp"

namespace ovni::test {
namespace {

TEST(TrackerTest, ACpuThatFollowsTheActiveThreadShowsAHiddenChannelAsBad) {
    TraceBuilder builder;
    builder.thread().starts(10).ends(20);
    Trace trace = Trace::open(builder.write());
    System system(trace);
    Plan plan;
    plan.channels.push_back(
        {.name = "one", .tracking = Tracking::running, .cpu_tracking = Tracking::active, .prv_type = 300});
    Machine machine(system, plan, Share::whole(system));
    Tracker tracker(plan, machine);
    machine.threads[0].cpu = 0;
    machine.cpus[0].threads = {0};
    machine.channel(0, 0).set(5, Duplicates::forbidden);
    auto show = [&](RunState state, int64_t time) {
        machine.threads[0].set_state(state);
        tracker.begin_event(time, 0);
        tracker.cpu_changed(0);
        tracker.cpu_channels_changed(0);
        std::vector<std::pair<int64_t, int64_t>> shown;
        for (const Record& record : tracker.queue().take_before(INT64_MAX))
            if (record.type == 300) shown.emplace_back(record.time, record.value);
        return shown;
    };
    using Shown = std::vector<std::pair<int64_t, int64_t>>;
    EXPECT_EQ(show(RunState::running, 1), (Shown{{1, 5}}));
    EXPECT_EQ(show(RunState::cooling, 2), (Shown{{2, shown_value::bad}}));
    EXPECT_EQ(show(RunState::paused, 3), (Shown{{3, 0}}));
    const ShownExtras& extras = tracker.extras();
    EXPECT_EQ(extras.until({2, 0})[extras.bad(0)], 1);
    EXPECT_EQ(extras.until({1, 9})[extras.bad(0)], 0);
    EXPECT_EQ(extras.until(end_of_trace)[extras.too_many_threads(0)], 0);
}

}  // namespace
}  // namespace ovni::test
