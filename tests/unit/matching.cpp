// Ends of messages without a trace: which belong together, who waits, what remains in an ideal network.
#include "messages/matching.hpp"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "messages/ideal_replay.hpp"
#include "messages/waits.hpp"
#include "mpi_function_rows.hpp"

namespace ovni::test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

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
    // "0-0 1-x x-2!": places of sends and receives; `!`: the partner was not recorded.
    std::string match_all() {
        std::string pairs;
        counts = match({sends, receives, have_one_clock}, [&](const MessageEnd* send,
                                                              const MessageEnd* receive, Partner partner) {
            auto place = [](const MessageEnd* end) { return end ? std::to_string(end->offset) : "x"; };
            pairs += (pairs.empty() ? "" : " ") + place(send) + "-" + place(receive);
            pairs += partner == Partner::unrecorded ? "!" : "";
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

TEST_F(Matching, ComesIntoStepAgainWhereBytesDiffer) {
    sends = ends({8, 16, 32, 64});
    receives = ends({8, 32, 64});
    EXPECT_EQ(match_all(), "0-0 1-x 2-1 3-2");
    EXPECT_TRUE(counts.is_realigned);
    std::swap(sends, receives);
    EXPECT_EQ(match_all(), "0-0 x-1 1-2 2-3");
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
        match({sends, receives, false}, [&](const MessageEnd* send, const MessageEnd* receive, Partner) {
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

namespace {

uint16_t function(const std::string& name) {
    for (size_t f = 0; f < std::size(mpi_function_rows); ++f)
        if (mpi_function_rows[f].name == name) return static_cast<uint16_t>(f);
    ADD_FAILURE() << name;
    return 0;
}

// "kind begin-end for stream", of the thread of each.
std::vector<std::string> texts(const std::vector<Wait>& waits) {
    std::vector<std::string> all;
    for (const Wait& wait : waits)
        all.push_back(
            std::to_string(wait.stream) + ": " + std::string(wait_names[static_cast<size_t>(wait.kind)]) +
            " " + std::to_string(wait.begin) + "-" + std::to_string(wait.end) +
            (wait.cause_stream == MessageEnd::no_stream ? "" : " for " + std::to_string(wait.cause_stream)));
    return all;
}

Message message(int64_t send_enter, int64_t send_leave, int64_t receive_enter, int64_t receive_leave) {
    Message of;
    of.send_posted = of.send_wait_begin = send_enter;
    of.send_left = of.send_wait_end = send_leave;
    of.receive_posted = of.receive_wait_begin = receive_enter;
    of.receive_wait_end = receive_leave;
    of.receive_stream = of.receive_completed_in = 1;
    of.send_completed_by = function("MPI_Ssend");
    of.receive_completed_by = function("MPI_Recv");
    return of;
}

std::vector<Wait> waits_received(const std::vector<Message>& messages) {
    std::vector<const Message*> all;
    for (const Message& of : messages) all.push_back(&of);
    return waits_of_receiver(all);
}

// Members of a collective, each with its enter and leave.
std::vector<CollectiveEnd> members(const std::string& name, int root,
                                   const std::vector<std::pair<int64_t, int64_t>>& times) {
    std::vector<CollectiveEnd> all;
    for (const auto& [enter, leave] : times) {
        CollectiveEnd end;
        end.enter = end.wait_begin = enter;
        end.leave = end.wait_end = leave;
        end.stream = end.completed_in = static_cast<uint32_t>(all.size());
        end.rank = static_cast<int>(all.size());
        end.root = root;
        end.sent = 8;
        end.function = end.completed_by = function(name);
        all.push_back(end);
    }
    return all;
}

}  // namespace

TEST(WaitsTest, OfReceiversAndSenders) {
    const std::vector<Message> late_sender{message(50, 60, 10, 70)};
    EXPECT_THAT(texts(waits_received(late_sender)), ElementsAre("1: Late sender 10-50 for 0"));
    EXPECT_THAT(waits_of_sender(late_sender, {}), IsEmpty());
    const std::vector<Message> late_receiver{message(10, 70, 50, 75)};
    EXPECT_THAT(waits_received(late_receiver), IsEmpty());
    EXPECT_THAT(texts(waits_of_sender(late_receiver, {})), ElementsAre("0: Late receiver 10-50 for 1"));
    // The send did not wait for it.
    EXPECT_THAT(waits_of_sender(std::vector{message(10, 40, 50, 75)}, {}), IsEmpty());
}

TEST(WaitsTest, AreNotLongerThanTheirCall) {
    EXPECT_THAT(texts(waits_received(std::vector{message(90, 95, 10, 70)})),
                ElementsAre("1: Late sender 10-70 for 0"));
}

TEST(WaitsTest, OfOneCallAreTheLongest) {
    std::vector<Message> both{message(50, 60, 10, 70), message(40, 60, 10, 70)};
    both[1].send_stream = 2;
    EXPECT_THAT(texts(waits_received(both)), ElementsAre("1: Late sender 10-50 for 0"));
}

TEST(WaitsTest, AskingIsNoWait) {
    Message asked = message(50, 60, 10, 70);
    asked.receive_completed_by = function("MPI_Test");
    EXPECT_THAT(waits_received(std::vector{asked}), IsEmpty());
}

TEST(WaitsTest, TellOfMessagesInWrongOrder) {
    std::vector<Message> all{message(50, 51, 10, 60), message(20, 21, 65, 70)};
    EXPECT_THAT(texts(waits_received(all)), ElementsAre("1: Late sender, wrong order 10-50 for 0"));
}

TEST(WaitsTest, AtCollectives) {
    EXPECT_THAT(texts(waits_at(members("MPI_Barrier", -1, {{0, 32}, {30, 31}, {10, 33}}))),
                ElementsAre("0: Wait at barrier 0-30 for 1", "0: Completion of a collective 31-32",
                            "2: Wait at barrier 10-30 for 1", "2: Completion of a collective 31-33"));
    EXPECT_THAT(texts(waits_at(members("MPI_Bcast", 1, {{0, 31}, {30, 31}, {40, 41}}))),
                ElementsAre("0: Late broadcast 0-30 for 1"));
    EXPECT_THAT(texts(waits_at(members("MPI_Reduce", 0, {{0, 31}, {30, 31}, {20, 21}}))),
                ElementsAre("0: Early reduce 0-30 for 1"));
    EXPECT_THAT(texts(waits_at(members("MPI_Scan", -1, {{10, 11}, {0, 12}, {5, 31}}))),
                ElementsAre("1: Early scan 0-10 for 0", "2: Early scan 5-10 for 0"));
    EXPECT_THAT(waits_at(members("MPI_Comm_dup", -1, {{0, 31}, {30, 31}})), IsEmpty());
}

TEST(WaitsTest, OfNonBlockingCollectivesAreInTheCallThatCompletesThem) {
    auto all = members("MPI_Iallreduce", -1, {{0, 1}, {30, 31}});
    all[0].wait_begin = 10;
    all[0].wait_end = 35;
    all[1].wait_begin = 33;
    all[1].wait_end = 36;
    EXPECT_THAT(texts(waits_at(all)), testing::Contains("0: Wait at n to n 10-30 for 1"));
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
