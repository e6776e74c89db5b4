// Waits of small runs, computed by hand from the definitions of Scalasca's patterns (waits.hpp). E is the
// enter of a call, L its leave.
#include "messages/waits/waits.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "messages/traffic_rows.hpp"
#include "messages/waits/failed_tests.hpp"
#include "messages/waits/object_collectives.hpp"
#include "mpi_function_rows.hpp"

namespace ovni::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

uint16_t function(const std::string& name) {
    for (size_t f = 0; f < std::size(mpi_function_rows); ++f)
        if (mpi_function_rows[f].name == name) return static_cast<uint16_t>(f);
    ADD_FAILURE() << name;
    return 0;
}

// "stream: kind begin-end for stream"
std::vector<std::string> texts(const std::vector<Wait>& waits) {
    std::vector<std::string> all;
    for (const Wait& wait : waits)
        all.push_back(
            std::to_string(wait.stream) + ": " + std::string(wait_names[static_cast<size_t>(wait.kind)]) +
            " " + std::to_string(wait.begin) + "-" + std::to_string(wait.end) +
            (wait.cause_stream == MessageEnd::no_stream ? "" : " for " + std::to_string(wait.cause_stream)));
    return all;
}

struct Times {
    int64_t enter, leave;
};

// A message of stream 0 to stream 1. Each side has the call that posts it, and the one that completes it if
// that is another one.
struct Sides {
    Times send, receive;
    Times send_completed{0, 0}, receive_completed{0, 0};
};

Message message(const Sides& of) {
    auto is_posted = [](const Times& completed) { return completed.leave != 0; };
    const Times sent = is_posted(of.send_completed) ? of.send_completed : of.send;
    const Times received = is_posted(of.receive_completed) ? of.receive_completed : of.receive;
    Message made;
    made.send_posted = of.send.enter;
    made.send_left = of.send.leave;
    made.send_wait_begin = sent.enter;
    made.send_wait_end = sent.leave;
    made.receive_posted = of.receive.enter;
    made.receive_wait_begin = received.enter;
    made.receive_wait_end = received.leave;
    made.receive_stream = made.receive_completed_in = 1;
    made.send_completed_by = function(is_posted(of.send_completed) ? "MPI_Wait" : "MPI_Ssend");
    made.receive_completed_by = function(is_posted(of.receive_completed) ? "MPI_Wait" : "MPI_Recv");
    return made;
}

std::vector<Wait> waits_received(const std::vector<Message>& messages, const ProcessTimes* times = nullptr) {
    PackedMessages all(is_received_before);
    for (const Message& of : messages) all.add(of);
    const Waits waits = waits_of_receiver(all, times);
    return {waits.begin(), waits.end()};
}

std::vector<Wait> waits_of_sender(const std::vector<Message>& messages, const std::vector<Wait>& late) {
    WaitsOfSenders waits;
    for (const Message& of : messages) waits.take(of);
    const Waits all = std::move(waits).but_for(late);
    return {all.begin(), all.end()};
}

struct MessageCase {
    const char* what;
    Sides sides;
    std::vector<std::string> waits;
};
const MessageCase message_cases[] = {
    // min(E of the send, L) - E of the receive = 50 - 10
    {"late sender", {{50, 60}, {10, 70}}, {"1: Late sender 10-50 for 0"}},
    // The wait ends with its call: min(90, 70) - 10
    {"late sender, by the clock of another node", {{90, 95}, {10, 70}}, {"1: Late sender 10-70 for 0"}},
    // The call that completes it waits: 50 - 20
    {"late sender of MPI_Irecv", {{50, 60}, {5, 6}, {0, 0}, {20, 70}}, {"1: Late sender 20-50 for 0"}},
    {"sent before MPI_Wait", {{15, 16}, {5, 6}, {0, 0}, {20, 70}}, {}},
    // E of the receive - E of the send = 50 - 10, as the send ends after 50
    {"late receiver", {{10, 70}, {50, 75}}, {"0: Late receiver 10-50 for 1"}},
    {"the send did not wait", {{10, 40}, {50, 75}}, {}},
    // E of what posts the receive - E of what completes the send = 50 - 30
    {"late receiver of MPI_Isend",
     {{10, 11}, {50, 51}, {30, 60}, {80, 81}},
     {"0: Late receiver 30-50 for 1"}},
    {"in time", {{10, 12}, {10, 13}}, {}},
};

struct Member {
    Times call;
    uint64_t sent = 8, received = 8;
};
std::vector<CollectiveEnd> members(const std::string& name, int root, const std::vector<Member>& all) {
    std::vector<CollectiveEnd> ends;
    for (const Member& of : all) {
        CollectiveEnd end;
        end.enter = end.wait_begin = of.call.enter;
        end.leave = end.wait_end = of.call.leave;
        end.sent = of.sent;
        end.received = of.received;
        end.stream = end.completed_in = static_cast<uint32_t>(ends.size());
        end.rank = static_cast<int>(ends.size());
        end.root = root;
        end.function = end.completed_by = function(name);
        ends.push_back(end);
    }
    return ends;
}

struct CollectiveCase {
    const char* function;
    int root;
    std::vector<Member> members;
    std::vector<std::string> waits;
};
const CollectiveCase collective_cases[] = {
    // Wait: last E - E = 30 - 0, 30 - 10. Completion: L - max(first L, last E) = 32 - 31, 33 - 31
    {"MPI_Barrier",
     -1,
     {{{0, 32}, 0, 0}, {{30, 31}, 0, 0}, {{10, 33}, 0, 0}},
     {"0: Wait at barrier 0-30 for 1", "0: Completion of a collective 31-32",
      "2: Wait at barrier 10-30 for 1", "2: Completion of a collective 31-33"}},
    // Ranks 1 and 2 are equally late: the lower one counts.
    {"MPI_Barrier",
     -1,
     {{{0, 31}, 0, 0}, {{30, 31}, 0, 0}, {{30, 31}, 0, 0}},
     {"0: Wait at barrier 0-30 for 1"}},
    {"MPI_Allreduce", -1, {{{0, 31}}, {{30, 31}}}, {"0: Wait at n to n 0-30 for 1"}},
    {"MPI_Allreduce", -1, {{{0, 31}, 0, 0}, {{30, 31}, 0, 0}}, {}},
    // Rank 2 gets nothing, and leaves before rank 1 enters. The last who sends is rank 1; rank 0 waits for
    // it, 30 - 0, and both leave together.
    {"MPI_Alltoallv", -1, {{{0, 33}}, {{30, 33}}, {{5, 6}, 8, 0}}, {"0: Wait at n to n 0-30 for 1"}},
    // Rank 1 sends nothing: rank 0 waits for rank 2 alone, 20 - 0, and completes at 25 as rank 2 at 24.
    {"MPI_Alltoallv",
     -1,
     {{{0, 25}}, {{30, 33}, 0, 8}, {{20, 24}}},
     {"0: Wait at n to n 0-20 for 2", "0: Completion of a collective 24-25"}},
    // E of the root - E = 30 - 0; rank 2 comes later.
    {"MPI_Bcast", 1, {{{0, 31}}, {{30, 31}}, {{40, 41}}}, {"0: Late broadcast 0-30 for 1"}},
    {"MPI_Scatterv",
     0,
     {{{30, 31}}, {{10, 35}}, {{20, 36}}},
     {"1: Late broadcast 10-30 for 0", "2: Late broadcast 20-30 for 0"}},
    // Last E of the others - E of the root = 30 - 0
    {"MPI_Reduce", 0, {{{0, 31}}, {{30, 31}}, {{20, 21}}}, {"0: Early reduce 0-30 for 1"}},
    {"MPI_Gather", 2, {{{0, 1}}, {{5, 6}}, {{9, 10}}}, {}},
    // Last E of lower ranks - E: 10 - 0, 10 - 5
    {"MPI_Scan",
     -1,
     {{{10, 11}}, {{0, 12}}, {{5, 31}}},
     {"1: Early scan 0-10 for 0", "2: Early scan 5-10 for 0"}},
    // At most until the last who enters before they leave: 20 - 0, not 50; 20 - 10
    {"MPI_Neighbor_allgather",
     -1,
     {{{0, 21}}, {{20, 25}}, {{10, 22}}, {{50, 51}}},
     {"0: Wait for neighbours, at most 0-20 for 1", "2: Wait for neighbours, at most 10-20 for 1"}},
    {"MPI_Win_fence",
     -1,
     {{{0, 31}, 0, 0}, {{30, 32}, 0, 0}},
     {"0: Wait at fence 0-30 for 1", "1: Completion of a collective 31-32"}},
    // None leaves before rank 1 enters, which is what it waits for; what the call does then is no wait.
    {"MPI_Comm_dup", -1, {{{0, 40}, 0, 0}, {{30, 31}, 0, 0}}, {"0: Wait for all members 0-30 for 1"}},
    // Rank 2 leaves before rank 1 enters: rank 0 need not have waited for it, and rank 2 has not.
    {"MPI_File_close",
     -1,
     {{{0, 40}, 0, 0}, {{30, 31}, 0, 0}, {{10, 20}, 0, 0}},
     {"0: Wait for members, at most 0-30 for 1"}},
    {"MPI_Comm_group", -1, {{{0, 31}}, {{30, 31}}}, {}},
};

}  // namespace

TEST(WaitsTest, MessagesHaveTheWaitsOfTheTable) {
    for (const MessageCase& of : message_cases) {
        SCOPED_TRACE(of.what);
        const std::vector<Message> one{message(of.sides)};
        std::vector<Wait> waits = waits_received(one);
        for (const Wait& wait : waits_of_sender(one, waits)) waits.push_back(wait);
        EXPECT_EQ(texts(waits), of.waits);
    }
}

// Rank 2 was not recorded: others may have waited for it.
TEST(WaitsTest, MissingMembersOfACollectiveAreNotWaitedFor) {
    auto some = members("MPI_Barrier", -1, {{{0, 32}, 0, 0}, {{30, 31}, 0, 0}});
    for (CollectiveEnd& member : some) member.size = 3;
    EXPECT_EQ(texts(waits_at(some)), (std::vector<std::string>{"0: Wait at barrier 0-30 for 1"}));
}

TEST(WaitsTest, CollectivesHaveTheWaitsOfTheTable) {
    for (const CollectiveCase& of : collective_cases) {
        SCOPED_TRACE(of.function);
        EXPECT_EQ(texts(waits_at(members(of.function, of.root, of.members))), of.waits);
    }
}

// Rank 1 is the last: 30 - 0, 30 - 20. What ranks do to end is no wait.
TEST(WaitsTest, RanksWaitForTheLastAtTheStartAndTheEndOfAWorld) {
    const auto all = members("MPI_Finalize", 0, {{{0, 90}}, {{30, 95}}, {{20, 40}}});
    EXPECT_THAT(texts(waits_at_world_call(all)),
                ElementsAre("0: Wait at start or end 0-30 for 1", "2: Wait at start or end 20-30 for 1"));
    auto some = members("MPI_Init", 0, {{{0, 90}}, {{30, 95}}});
    some[1].function = function("MPI_Init_thread");
    for (CollectiveEnd& member : some) member.size = 3;
    EXPECT_THAT(texts(waits_at_world_call(some)), ElementsAre("0: Wait at start or end 0-30 for 1"));
}

// Rank 2 leaves before rank 1 enters, or rank 0 is there twice.
TEST(WaitsTest, RanksThatDoNotMeetDoNotWait) {
    const auto apart = members("MPI_Finalize", 0, {{{0, 90}}, {{30, 95}}, {{20, 29}}});
    EXPECT_THAT(waits_at_world_call(apart), IsEmpty());
    auto twice = members("MPI_Finalize", 0, {{{0, 90}}, {{30, 95}}});
    for (CollectiveEnd& member : twice) member.rank = 0;
    EXPECT_THAT(waits_at_world_call(twice), IsEmpty());
    EXPECT_THAT(waits_at_world_call({}), IsEmpty());
}

TEST(WaitsTest, ACallHasItsLongestWait) {
    std::vector<Message> both{message({{50, 60}, {10, 70}}), message({{40, 60}, {10, 70}})};
    both[1].send_stream = 2;
    EXPECT_THAT(texts(waits_received(both)), ElementsAre("1: Late sender 10-50 for 0"));
}

TEST(WaitsTest, ACallWaitsForTheFirstIfWaitsAreEquallyLong) {
    std::vector<Message> both(2, message({{50, 60}, {10, 70}}));
    both[0].send_stream = 2;
    EXPECT_THAT(texts(waits_received(both)), ElementsAre("1: Late sender 10-50 for 0"));
    std::vector<Message> sent(2, message({{10, 70}, {50, 75}}));
    sent[1].receive_stream = 2;
    EXPECT_THAT(texts(waits_of_sender(sent, {})), ElementsAre("0: Late receiver 10-50 for 1"));
}

// Sends in the order of their posting, which is not that of the calls that complete them.
TEST(WaitsTest, ACallThatCompletesSendsHasTheLongestWait) {
    const Times wait{50, 60}, waitall{100, 120};
    const std::vector<Message> sent{message({{0, 1}, {110, 111}, waitall}), message({{2, 3}, {55, 56}, wait}),
                                    message({{4, 5}, {118, 119}, waitall}),
                                    message({{6, 7}, {105, 106}, waitall})};
    EXPECT_THAT(texts(waits_of_sender(sent, {})),
                ElementsAre("0: Late receiver 50-55 for 1", "0: Late receiver 100-118 for 1"));
}

// Rank 2 was not recorded, and may have left before.
TEST(WaitsTest, AWaitForMembersIsNotProvenIfOneIsMissing) {
    auto some = members("MPI_Win_create", -1, {{{0, 40}, 0, 0}, {{30, 31}, 0, 0}});
    for (CollectiveEnd& member : some) member.size = 3;
    EXPECT_THAT(texts(waits_at(some)), ElementsAre("0: Wait for members, at most 0-30 for 1"));
}

// MPI_Probe from 10 to 55 waits until the send at 50. The receive finds its message there.
TEST(WaitsTest, AProbeWaitsForTheMessageThatItFinds) {
    Message found = message({{50, 60}, {70, 71}});
    found.receive_offset = 800;
    const ProbedReceive probes[] = {{1, 1, function("MPI_Probe"), 400, 20, 45},
                                    {1, 1, function("MPI_Probe"), 800, 10, 55}};
    PackedMessages all(is_received_before);
    all.add(found);
    const Waits waits = waits_of_receiver(all, nullptr, probes);
    EXPECT_THAT(texts({waits.begin(), waits.end()}), ElementsAre("1: Late sender 10-50 for 0"));
    EXPECT_EQ(waits[0].function, function("MPI_Probe"));
}

// Two windows on one communicator, and a file: calls of one object count by themselves, others not at all.
TEST(ObjectCollectives, CallsAreCountedForEachObject) {
    FoundObjects found;
    for (const auto& [kind, turn] :
         {std::pair(ObjectKind::window, 1u), {ObjectKind::window, 2u}, {ObjectKind::file, 1u}}) {
        MpiObject& object = found.objects.emplace_back();
        object.kind = kind;
        object.turn = turn;
        object.communicator_id = 77;
        object.rank = 3;
        object.size = 4;
    }
    const auto call = [&](uint32_t object, const char* name, int64_t enter) {
        ObjectCall& made = found.calls.emplace_back();
        made.object = object;
        made.function = function(name);
        made.enter = enter;
        made.leave = made.complete = enter + 5;
    };
    call(0, "MPI_Win_create", 10);
    call(1, "MPI_Win_allocate", 20);
    call(0, "MPI_Put", 30);
    call(2, "MPI_File_open", 40);
    call(0, "MPI_Win_free", 50);
    call(2, "MPI_File_write_at", 60);
    call(2, "MPI_File_close", 70);
    std::vector<std::string> all;
    for (const CollectiveEnd& end : collectives_of_objects(found)) {
        EXPECT_TRUE(is_of_object(end));
        EXPECT_EQ(end.communicator, 77u);
        EXPECT_EQ(end.size, 4u);
        EXPECT_EQ(end.rank, 3);
        all.push_back(std::to_string(end.made >> 28) + "." + std::to_string(end.made & 0xf) + " turn " +
                      std::to_string(end.turn) + " at " + std::to_string(end.enter));
    }
    EXPECT_THAT(all, ElementsAre("1.1 turn 1 at 10", "1.2 turn 1 at 20", "2.1 turn 1 at 40",
                                 "1.1 turn 2 at 50", "2.1 turn 2 at 70"));
    EXPECT_FALSE(is_of_object(CollectiveEnd()));
}

// An exchange waits for its sender alone.
TEST(WaitsTest, AnExchangeWaitsForItsSenderAlone) {
    const std::vector<Wait> late = waits_received({message({{50, 60}, {10, 70}})});
    Message sent = message({{10, 70}, {60, 65}});
    std::swap(sent.send_stream, sent.receive_stream);
    sent.send_completed_in = 1;
    EXPECT_THAT(waits_of_sender(std::vector{sent}, late), IsEmpty());
    EXPECT_THAT(texts(waits_of_sender(std::vector{sent}, {})), ElementsAre("1: Late receiver 10-60 for 0"));
}

template <class Item, class... Members>
void expect_in_the_key(Members Item::*... members) {
    const auto differs = [](auto member) {
        Item changed;
        changed.*member = static_cast<std::remove_cvref_t<decltype(changed.*member)>>(7);
        return changed.key() != Item().key();
    };
    EXPECT_THAT((std::vector<bool>{differs(members)...}), testing::Each(true));
}

// Streams that are damaged may wait twice at one time. Any number of ranks writes these in one order.
TEST(WaitsTest, WaitsThatDifferHaveKeysThatDiffer) {
    expect_in_the_key(&Wait::begin, &Wait::end, &Wait::cause_time, &Wait::between, &Wait::bound,
                      &Wait::stream, &Wait::cause_stream, &Wait::function, &Wait::kind);
    expect_in_the_key(&WaitRow::time, &WaitRow::end, &WaitRow::waited, &WaitRow::cause_time, &WaitRow::bound,
                      &WaitRow::thread, &WaitRow::cause, &WaitRow::wait, &WaitRow::function);
}

TEST(WaitsTest, TellOfMessagesInWrongOrder) {
    EXPECT_THAT(texts(waits_received({message({{50, 51}, {10, 60}}), message({{20, 21}, {65, 70}})})),
                ElementsAre("1: Late sender, wrong order 10-50 for 0"));
}

TEST(WaitsTest, NonBlockingCollectivesWaitInTheCallThatCompletesThem) {
    auto all = members("MPI_Iallreduce", -1, {{{0, 1}}, {{30, 31}}});
    all[0].wait_begin = 10;
    all[0].wait_end = 35;
    all[1].wait_begin = 33;
    all[1].wait_end = 36;
    EXPECT_THAT(texts(waits_at(all)), testing::Contains("0: Wait at n to n 10-30 for 1"));
}

class FailedTests : public ::testing::Test {
 protected:
    FailedTests() {
        times_.stream = 1;
        message_ = message({{50, 60}, {5, 6}, {0, 0}, {70, 71}});
        message_.receive_completed_by = function("MPI_Test");
    }
    void call(const std::string& name, Times of, uint32_t request = 0) {
        times_.calls.push_back({of.enter, of.leave, function(name), request});
    }
    // "kind begin-end: ns", of the receiver.
    std::vector<std::string> waits() const {
        std::vector<std::string> all;
        for (const Wait& wait : waits_received({message_}, &times_))
            all.push_back(std::string(wait_names[static_cast<size_t>(wait.kind)]) + " " +
                          std::to_string(wait.begin) + "-" + std::to_string(wait.end) + ": " +
                          std::to_string(wait.length()));
        return all;
    }

    ProcessTimes times_;
    Message message_;
};

// (14 - 10) + (34 - 30) + (50 - 48): the fourth one began after the send.
TEST_F(FailedTests, TestsOfOneRequestCountUntilTheSend) {
    call("MPI_Test", {1, 2}, 9);
    call("MPI_Irecv", {5, 6}, 9);
    call("MPI_Test", {10, 14}, 9);
    call("MPI_Test", {20, 29}, 8);
    call("MPI_Test", {30, 34}, 9);
    call("MPI_Send", {40, 44});
    call("MPI_Test", {48, 55}, 9);
    call("MPI_Test", {60, 65}, 9);
    call("MPI_Test", {70, 71}, 9);
    EXPECT_THAT(waits(), ElementsAre("Failed tests 10-50: 10"));
    EXPECT_THAT(waits_received({message_}), IsEmpty());
}

TEST_F(FailedTests, TestsOfManyRequestsCountSinceTheLastOtherCall) {
    message_.receive_completed_by = function("MPI_Testall");
    call("MPI_Testall", {10, 14});
    call("MPI_Send", {20, 24});
    call("MPI_Testall", {30, 34});
    call("MPI_Testall", {70, 71});
    EXPECT_THAT(waits(), ElementsAre("Failed tests 30-34: 4"));
}

TEST_F(FailedTests, ATestThatSucceedsAtOnceIsNoWait) {
    call("MPI_Test", {70, 71}, 9);
    EXPECT_THAT(waits(), IsEmpty());
    times_.calls = {};
    EXPECT_THAT(waits(), IsEmpty());
    call("MPI_Test", {40, 45}, 9);
    call("MPI_Test", {70, 71}, 9);
    EXPECT_THAT(waits(), ElementsAre("Failed tests 40-45: 5"));
    times_.stream = 7;
    EXPECT_THAT(waits(), IsEmpty());
}

}  // namespace ovni::test
