// The results of every interleaving of two producers and a daemon: in the published algorithm of the shared
// buffer, in corrected forms of it, and in the one that is built (src/ring/shared_buffer.hpp). And of a
// reader and the writer of the clock (ovni/tsc_clock.hpp).
#include <gmock/gmock.h>

#include "tests/unit/interleaving/claimed.hpp"
#include "tests/unit/interleaving/clock_reading.hpp"
#include "tests/unit/interleaving/explore.hpp"
#include "tests/unit/interleaving/published.hpp"

namespace ovni::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

#define EXPECT_SOUND(explored)                                      \
    do {                                                            \
        Explored result_ = (explored);                              \
        EXPECT_THAT(result_.broken, IsEmpty());                     \
        EXPECT_THAT(result_.stuck, IsEmpty());                      \
        EXPECT_TRUE(result_.has_end);                               \
        RecordProperty("states", static_cast<int>(result_.states)); \
    } while (0)

using R = Reservation;

TEST(PublishedAlgorithm, TakesAnUncommittedSlot) {
    // Room for all: nothing but the order of reads matters.
    Explored found = explore(PublishedModel{.capacity = 4});
    EXPECT_THAT(found.broken, StartsWith("takes an unfilled slot"));
}

TEST(PublishedAlgorithm, ReadInTheOtherOrderTakesNone) {
    EXPECT_SOUND(explore(PublishedModel{R::after_room, Reading::written_then_reserved, Deaths::none, 4}));
}

TEST(PublishedAlgorithm, OverrunsWhereTwoSeeTheSameRoom) {
    Explored found = explore(PublishedModel{R::after_room, Reading::written_then_reserved, Deaths::none, 1});
    EXPECT_THAT(found.broken, StartsWith("overrun"));
    EXPECT_THAT(found.broken, HasSubstr("A has room"));
    EXPECT_THAT(found.broken, HasSubstr("B has room"));
}

TEST(PublishedAlgorithm, ReservingFirstDoesNotOverrunButWaitsForEver) {
    // A producer that waits for room keeps `reserved` ahead of `written`, and the daemon waits for that.
    Explored found = explore(PublishedModel{R::before_room, Reading::written_then_reserved, Deaths::none, 1});
    EXPECT_THAT(found.broken, IsEmpty());
    EXPECT_THAT(found.stuck, HasSubstr("reserves"));
}

TEST(PublishedAlgorithm, CorrectedIsSoundWhileNobodyDies) {
    for (uint8_t capacity : {1, 2, 3})
        EXPECT_SOUND(explore(PublishedModel{R::before_room, Reading::written_then_reserved_in_room,
                                            Deaths::none, capacity, 3}));
}

TEST(PublishedAlgorithm, WaitsForEverForTheDead) {
    for (uint8_t capacity : {2, 4}) {
        Explored found = explore(PublishedModel{R::before_room, Reading::written_then_reserved_in_room,
                                                Deaths::possible, capacity});
        EXPECT_THAT(found.broken, IsEmpty());
        EXPECT_THAT(found.stuck, HasSubstr("dies"));
    }
}

ClaimedModel model_with(Mistake mistake, Deaths deaths) {
    ClaimedModel model;
    model.mistake = mistake;
    model.deaths = deaths;
    return model;
}

TEST(SharedBufferAlgorithm, GoesOnWhoeverDies) {
    for (uint8_t capacity : {2, 3, 4})
        for (std::array<uint8_t, 2> spaces : {std::array<uint8_t, 2>{1, 1}, {1, 2}, {2, 2}}) {
            ClaimedModel model;
            model.capacity = capacity;
            model.spaces = spaces;
            model.deaths = Deaths::possible;
            EXPECT_SOUND(explore(model));
        }
}

TEST(SharedBufferAlgorithm, GoesOnWithAnotherReader) {
    ClaimedModel model;
    model.deaths = Deaths::possible;
    model.takeovers = 1;
    model.capacity = 3;
    EXPECT_SOUND(explore(model));
}

TEST(SharedBufferAlgorithm, AClaimAfterTheSwapComesTooLate) {
    Explored found = explore(model_with(Mistake::claims_late, Deaths::none));
    EXPECT_THAT(found.broken, StartsWith("nobody claims what is reserved"));
}

TEST(SharedBufferAlgorithm, AWriterThatKeepsItsClaimWaitsForTheReaderThatWaits) {
    ClaimedModel model = model_with(Mistake::waits_with_claim, Deaths::possible);
    model.capacity = 2;
    Explored found = explore(model);
    EXPECT_THAT(found.broken, IsEmpty());
    EXPECT_THAT(found.stuck, HasSubstr("dies"));
}

TEST(SharedBufferAlgorithm, SpaceIsCleanBeforeItIsFreed) {
    Explored found = explore(model_with(Mistake::frees_before_clearing, Deaths::none));
    EXPECT_THAT(found.broken, StartsWith("stores into space that is not free"));
}

TEST(SharedBufferAlgorithm, TheLivingAreNotPassed) {
    EXPECT_THAT(explore(model_with(Mistake::skips_the_living, Deaths::none)).broken,
                ::testing::Not(IsEmpty()));
}

TEST(ClockReading, AReadingIsOfOneSegmentThatHoldsThen) {
    EXPECT_SOUND(explore(ClockReadingModel{}));
}

TEST(ClockReading, EveryMistakeMakesAWrongReading) {
    EXPECT_THAT(explore(ClockReadingModel{ClockMistake::length_before_reading}).broken,
                StartsWith("a reading behind the end"));
    EXPECT_THAT(explore(ClockReadingModel{ClockMistake::index_loaded_once}).broken,
                StartsWith("a reading behind the end"));
    EXPECT_THAT(explore(ClockReadingModel{ClockMistake::index_before_length}).broken,
                StartsWith("a reading behind the end"));
    EXPECT_THAT(explore(ClockReadingModel{ClockMistake::end_unchecked}).broken,
                StartsWith("a reading behind the end"));
}

}  // namespace
}  // namespace ovni::test
