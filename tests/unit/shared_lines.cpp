// The lines of CPUs that several emulators share, put together.
#include "emu/state/shared_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ovni::test {
namespace {

using testing::ElementsAre;

// All at one moment. `record`: the value of a record, or 0 for the marker of a step.
class SharedLinesTest : public testing::Test {
 protected:
    SharedLinesTest() { lines_.begin_event(3, false); }

    // The next step of the event.
    void step() { lines_.begin_step(); }
    void add(uint16_t channel, SharedLineKind kind, int64_t value) {
        lines_.add({.time = 7, .value = value}, channel, kind);
    }
    void mark() { records_.append(lines_.marker({7, 0})); }
    void record(int64_t value) { records_.append({.time = 7, .value = value}); }

    std::vector<int64_t> placed() {
        RecordBuffer room;
        place_shared_lines(lines_.lines(), records_, room);
        std::vector<int64_t> values;
        for (const Record& placed : records_) values.push_back(placed.value);
        return values;
    }

    SharedLines lines_;
    RecordBuffer records_;
};

TEST_F(SharedLinesTest, TakeThePlaceOfTheirMarkers) {
    record(1);
    step(), mark(), add(0, SharedLineKind::line, 2), add(0, SharedLineKind::line, 3);
    record(4);
    step(), mark(), add(9, SharedLineKind::line, 6), add(5, SharedLineKind::line, 5);
    record(7);
    EXPECT_THAT(placed(), ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

TEST_F(SharedLinesTest, OfARowThatPassesAreWhatItShowsNow) {
    step(), mark();
    add(1, SharedLineKind::after, 10), add(1, SharedLineKind::before, 11);             // another value
    add(2, SharedLineKind::before, 20), add(2, SharedLineKind::after, 20);             // written again
    add(3, SharedLineKind::after_if_changed, 30), add(3, SharedLineKind::before, 30);  // left out
    add(4, SharedLineKind::after_if_changed, 40), add(4, SharedLineKind::before, 41);
    add(5, SharedLineKind::before, 50);  // nothing is shown now
    add(6, SharedLineKind::after_if_changed, 60);
    EXPECT_THAT(placed(), ElementsAre(10, 20, 40, 0, 60));
}

TEST_F(SharedLinesTest, OfARefusedEventAreDropped) {
    step(), add(1, SharedLineKind::line, 1);
    lines_.begin_event(4, false);
    step(), mark(), add(1, SharedLineKind::line, 2);
    lines_.begin_event(5, true);
    step(), add(1, SharedLineKind::line, 3);
    EXPECT_THAT(placed(), ElementsAre(2));
}

TEST_F(SharedLinesTest, WithoutAnyLineMarkersAreDropped) {
    record(1);
    step(), mark();
    EXPECT_THAT(placed(), ElementsAre(1));
}

TEST_F(SharedLinesTest, OfBreakdownsAreOneChangeForEachCpu) {
    std::vector<BreakdownChange> changes = {{.time = 6, .before = 1, .after = 2},
                                            lines_.change_marker({7, 0}),
                                            {.time = 7, .before = 3, .after = 4}};
    step();
    lines_.add_value({7, 0}, 0, SharedLineKind::before, 5),
        lines_.add_value({7, 0}, 0, SharedLineKind::after, 5);
    lines_.add_value({7, 0}, 1, SharedLineKind::after, 7),
        lines_.add_value({7, 0}, 1, SharedLineKind::before, 6);
    step();
    lines_.add_value({7, 0}, 1, SharedLineKind::before, 8),
        lines_.add_value({7, 0}, 1, SharedLineKind::after, 9);
    place_shared_values(lines_.values(), changes);
    std::vector<std::pair<int64_t, int64_t>> values;
    std::vector<int> firsts;
    for (const BreakdownChange& change : changes) {
        values.emplace_back(change.before, change.after);
        firsts.push_back(change.first);
    }
    EXPECT_THAT(values, ElementsAre(std::pair(1, 2), std::pair(6, 7), std::pair(8, 9), std::pair(3, 4)));
    EXPECT_THAT(firsts, ElementsAre(0, 1, 0, 0));
}

}  // namespace
}  // namespace ovni::test
