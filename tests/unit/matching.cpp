// Ends of messages without a trace: which belong together, and what remains of a run in an ideal network.
#include "messages/match/matching.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "messages/costs/ideal_replay.hpp"

namespace ovni::test {

class Matching : public ::testing::Test {
 protected:
    static std::vector<MessageEnd> ends(const std::vector<uint64_t>& bytes, int64_t from = 0) {
        std::vector<MessageEnd> all;
        for (size_t i = 0; i < bytes.size(); ++i) {
            MessageEnd end;
            end.order = end.posted = from + 10 * static_cast<int64_t>(i);
            end.wait_end = end.posted + 5;
            end.bytes = bytes[i];
            end.offset = i;
            all.push_back(end);
        }
        return all;
    }
    // Ends that were not recorded, behind `all`.
    static void add_unrecorded(std::vector<MessageEnd>& all, uint64_t count) {
        MessageEnd end = ends({count}, 10 * static_cast<int64_t>(all.size()))[0];
        end.offset = all.size();
        end.unrecorded = 1;
        end.stream = 9;
        all.push_back(end);
    }
    static void add(std::vector<MessageEnd>& all, const std::vector<uint64_t>& bytes) {
        for (uint64_t one : bytes) {
            MessageEnd end = ends({one}, 10 * static_cast<int64_t>(all.size()))[0];
            end.offset = all.size();
            all.push_back(end);
        }
    }
    // "0-0 1-x x-2! 3-xf": places of sends and receives; `!`: the partner was not recorded, `f`: it was
    // freed.
    std::string match_all() {
        std::string pairs;
        counts = match(
            {sends_in(sends), receives_in(receives), have_one_clock},
            [&](const MessageEnd* send, const MessageEnd* receive, Partner partner) {
                auto place = [](const MessageEnd* end) { return end ? std::to_string(end->offset) : "x"; };
                pairs += (pairs.empty() ? "" : " ") + place(send) + "-" + place(receive);
                pairs += partner == Partner::unrecorded ? "!" : partner == Partner::freed ? "f" : "";
            });
        return pairs;
    }

    std::vector<MessageEnd> sends, receives;
    bool have_one_clock = false;
    MatchCounts counts;
};

TEST_F(Matching, TakesEndsInTheirOrder) {
    sends = ends({8, 8, 16});
    receives = ends({8, 8, 16});
    EXPECT_EQ(match_all(), "0-0 1-1 2-2");
    EXPECT_EQ(counts.matched, 3u);
    EXPECT_FALSE(counts.is_realigned || counts.is_unordered);
}

TEST_F(Matching, LeavesWhatIsTooMuch) {
    sends = ends({8, 8, 8});
    receives = ends({8});
    EXPECT_EQ(match_all(), "0-0 1-x 2-x");
    std::swap(sends, receives);
    EXPECT_EQ(match_all(), "0-0 x-1 x-2");
}

// The last one of all has taken no message.
TEST_F(Matching, KeepsThePlacesOfReceivesThatWereFreed) {
    sends = ends({8, 8, 16});
    receives = ends({8, 8, 16, 8});
    for (size_t freed : {0u, 2u, 3u}) {
        receives[freed].wait_end = MessageEnd::never;
        receives[freed].bytes = MessageEnd::unknown_bytes;
        receives[freed].completed_by = MessageEnd::freed;
    }
    EXPECT_EQ(match_all(), "0-xf 1-1 2-xf");
}

TEST_F(Matching, ComesIntoStepAgainWhereBytesDiffer) {
    sends = ends({8, 16, 32, 64});
    receives = ends({8, 32, 64});
    EXPECT_EQ(match_all(), "0-0 1-x 2-1 3-2");
    EXPECT_TRUE(counts.is_realigned);
    std::swap(sends, receives);
    EXPECT_EQ(match_all(), "0-0 x-1 1-2 2-3");
}

// Either the messages of 8 bytes have partners, or those of 16.
TEST_F(Matching, LeavesSendsRatherThanReceivesIfEitherComesIntoStep) {
    sends = ends({8, 16});
    receives = ends({16, 8});
    EXPECT_EQ(match_all(), "0-x 1-0 x-1");
}

TEST_F(Matching, NeverPairsEndsWhoseBytesDiffer) {
    std::minstd_rand random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<uint64_t> of_sends, of_receives;
        for (unsigned i = random() % 200; i > 0; --i) of_sends.push_back(random() % 4);
        for (unsigned i = random() % 200; i > 0; --i) of_receives.push_back(random() % 4);
        sends = ends(of_sends);
        receives = ends(of_receives);
        size_t taken_sends = 0, taken_receives = 0;
        match({sends_in(sends), receives_in(receives), false},
              [&](const MessageEnd* send, const MessageEnd* receive, Partner) {
                  if (send && receive) {
                      EXPECT_EQ(send->bytes, receive->bytes);
                  }
                  if (send) {
                      EXPECT_EQ(send->offset, taken_sends++);
                  }
                  if (receive) {
                      EXPECT_EQ(receive->offset, taken_receives++);
                  }
              });
        EXPECT_EQ(taken_sends, sends.size());
        EXPECT_EQ(taken_receives, receives.size());
    }
}

TEST_F(Matching, ReceivesThatAreNotSeenToEndKeepTheirPlace) {
    sends = ends({8, 8});
    receives = ends({8, 8, 8});
    receives[0].wait_end = receives[2].wait_end = MessageEnd::never;
    receives[0].bytes = receives[2].bytes = MessageEnd::unknown_bytes;
    EXPECT_EQ(match_all(), "0-x 1-1");
    EXPECT_EQ(counts.matched, 1u);
}

TEST_F(Matching, TakesUnknownBytesForAny) {
    sends = ends({8, MessageEnd::unknown_bytes});
    receives = ends({MessageEnd::unknown_bytes, 8});
    EXPECT_EQ(match_all(), "0-0 1-1");
}

TEST_F(Matching, NothingOfOneClockArrivesBeforeItIsSent) {
    sends = ends({8, 8}, 100);
    receives = ends({8, 8, 8}, 0);
    receives[1].wait_end = receives[2].wait_end = 1000;
    EXPECT_EQ(match_all(), "0-0 1-1 x-2");
    have_one_clock = true;
    EXPECT_EQ(match_all(), "x-0 0-1 1-2");
}

TEST_F(Matching, LeavesWhatIsBehindAGap) {
    sends = ends({8, 8, 8});
    receives = ends({8, 8, 8});
    receives[1].behind_gap = 1;
    EXPECT_EQ(match_all(), "0-0 1-x 2-x x-1 x-2");
}

TEST_F(Matching, EndsThatWereNotRecordedKeepTheirPlaces) {
    add(sends, {8, 8});
    add_unrecorded(sends, 3);
    add(sends, {8, 8});
    add(receives, {8});
    add_unrecorded(receives, 2);
    add(receives, {8, 8, 8, 8});
    EXPECT_EQ(match_all(), "0-0 1-x! x-2! x-3! 3-4 4-5");
    EXPECT_EQ(counts.matched, 3u);
    EXPECT_FALSE(counts.is_realigned || counts.is_unordered);
    std::swap(sends, receives);
    EXPECT_EQ(match_all(), "0-0 x-1! 2-x! 3-x! 4-3 5-4");
}

TEST_F(Matching, ManyEndsThatWereNotRecordedCostNothing) {
    add_unrecorded(sends, UINT32_MAX);
    add_unrecorded(sends, UINT32_MAX);
    add(sends, {8});
    add_unrecorded(receives, UINT32_MAX);
    add_unrecorded(receives, UINT32_MAX - 1);
    add(receives, {8, 8});
    EXPECT_EQ(match_all(), "x-2! 2-3");
}

// A receive that failed took a message.
TEST_F(Matching, ListsComeIntoStepBeforeEndsThatWereNotRecorded) {
    add(sends, {8, 16, 32});
    add_unrecorded(sends, 1);
    add(sends, {8});
    add(receives, {8, 32});
    add_unrecorded(receives, 1);
    add(receives, {8});
    EXPECT_EQ(match_all(), "0-0 1-x 2-1 4-3");
    EXPECT_TRUE(counts.is_realigned);
}

TEST_F(Matching, ReceivesThatWereNotRecordedShowThatEarlierOnesHaveMessages) {
    add(sends, {8, 8, 8});
    add(receives, {8});
    receives[0].wait_end = MessageEnd::never;
    receives[0].bytes = MessageEnd::unknown_bytes;
    add_unrecorded(receives, 1);
    add(receives, {8});
    EXPECT_EQ(match_all(), "0-x 1-x! 2-2");
}

TEST_F(Matching, CountsThreadsWhoseOrderIsNotDefined) {
    sends = ends({8, 8});
    receives = ends({8, 8});
    receives[1].stream = 7;
    EXPECT_EQ(match_all(), "0-0 1-1");
    EXPECT_TRUE(counts.is_unordered);
}

// Rank 0 computes 100, sends; rank 1 computes 10, receives at 10 until 130, computes 20.
TEST(IdealReplayTest, KeepsWaitsAndLeavesOutTransfer) {
    using What = ReplayPoint::What;
    IdealReplay replay(2);
    auto point = [&](int64_t time, uint32_t process, What what, int64_t useful) {
        ReplayPoint made;
        made.time = time;
        made.process = process;
        made.what = what;
        made.useful = useful;
        made.id = 7;
        replay.take(made);
    };
    point(0, 0, What::begin, 0);
    point(0, 1, What::begin, 0);
    point(100, 0, What::send, 100);
    point(105, 0, What::end, 100);
    point(130, 1, What::receive, 10);
    point(150, 1, What::end, 30);
    const ReplayedTime first = replay.times().at({0, 0}), second = replay.times().at({0, 1});
    EXPECT_EQ(first.elapsed, 105);
    EXPECT_EQ(first.ideal, 100);
    EXPECT_EQ(second.elapsed, 150);
    EXPECT_EQ(second.useful, 30);
    EXPECT_EQ(second.ideal, 120);
    EXPECT_EQ(replay.out_of_order(), 0u);
}

}  // namespace ovni::test
