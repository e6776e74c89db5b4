// Open calls that are made by hand, and who waits for whom; tests/mpi/trace_deadlocks.cpp has real ones.
#include "messages/stuck/waiting.hpp"

#include <gmock/gmock.h>

#include <iterator>
#include <optional>
#include <stdexcept>

#include "model/mpi_event.hpp"
#include "ovni/mpi_events.h"
#include "tests/support/trace_builder.hpp"

namespace ovni::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WaitingTest : public testing::Test {
 protected:
    static constexpr uint64_t halo = 0x1234;

    static uint32_t function(std::string_view name) {
        for (uint32_t f = 0; f < std::size(mpi_function_rows); ++f)
            if (mpi_function_rows[f].name == name) return f;
        throw std::invalid_argument(std::string(name));
    }
    static Awaited send_to(int rank, int tag = 7, uint64_t communicator = OVNI_MPI_WORLD) {
        return {AwaitedKind::send, rank, tag, communicator, 0};
    }
    static Awaited receive_from(int rank, int tag = 7, uint64_t communicator = OVNI_MPI_WORLD) {
        return {AwaitedKind::receive, rank, tag, communicator, 0};
    }
    // The process of that rank is in a call since the beginning of the second that has its rank's number.
    static Awaited collective(std::string_view name, uint64_t turn, uint64_t communicator = halo) {
        return {AwaitedKind::collective, -1, -1, communicator, turn, function(name)};
    }
    void waits(int rank, std::string_view name, std::vector<Awaited> waits_for, bool needs_all = true) {
        const int64_t since = rank * second;
        open_.processes.push_back({static_cast<uint32_t>(rank),
                                   name == "MPI_Finalize",
                                   true,
                                   {{static_cast<uint32_t>(rank), function(name), since, 10 * second,
                                     std::move(waits_for), needs_all}}});
    }
    // The process of that rank has entered so many collectives on a communicator of the world's ranks.
    void has_entered(int rank, uint64_t turns, uint64_t communicator = OVNI_MPI_WORLD) {
        open_.communicators.push_back(
            {static_cast<uint32_t>(rank),
             turns,
             {communicator, OVNI_MPI_OF_WORLD, static_cast<uint32_t>(ranks_), rank, {}, "halo"}});
    }
    const Waiting& analyse() {
        TraceBuilder trace;
        for (int rank = 0; rank < ranks_; ++rank)
            trace.thread({.pid = 10 + rank, .tid = 10 + rank, .rank = rank, .nranks = ranks_ + untraced_})
                .starts(1)
                .ends(2);
        for (int rank = 0; rank < second_world_; ++rank)
            trace
                .thread(
                    {.pid = 50 + rank, .tid = 50 + rank, .app_id = 2, .rank = rank, .nranks = second_world_})
                .starts(1)
                .ends(2);
        system_.emplace(Trace::open(trace.write()));
        return waiting_ = who_waits(*system_, open_);
    }
    std::vector<std::string> lines(size_t most = 10, int64_t shortest = 0) {
        analyse();
        return sentences(waiting_, *system_, shortest, most);
    }

    static constexpr int64_t second = 1'000'000'000;
    int ranks_ = 4, untraced_ = 0, second_world_ = 0;
    OpenTrace open_;
    std::optional<System> system_;
    Waiting waiting_;
};

TEST_F(WaitingTest, CollectivesInPlaceOfEachOtherAreADeadlock) {
    for (int rank : {0, 1}) waits(rank, "MPI_Bcast", {collective("MPI_Bcast", 3)});
    waits(2, "MPI_Bcast_c", {collective("MPI_Bcast_c", 3)});
    waits(3, "MPI_Wait", {collective("MPI_Ireduce", 3)});
    for (int rank = 0; rank < ranks_; ++rank) has_entered(rank, 3, halo);
    EXPECT_THAT(lines(),
                ElementsAre("deadlock: rank 0 waits in MPI_Bcast for rank 3, which has come to MPI_Ireduce "
                            "instead, communicator 'halo', for 10.0 s; rank 3 waits in MPI_Wait for "
                            "ranks 0-2, which have come to MPI_Bcast instead, communicator 'halo', for "
                            "7.0 s",
                            "rank 1 waits in MPI_Bcast for rank 3, which has come to MPI_Ireduce instead, "
                            "communicator 'halo', for 9.0 s",
                            "rank 2 waits in MPI_Bcast_c for rank 3, which has come to MPI_Ireduce "
                            "instead, communicator 'halo', for 8.0 s"));
    EXPECT_EQ(waiting_.circles.size(), 3u);
}

// Each process has that communicator for itself, and turns count for nothing if some are not recorded.
TEST_F(WaitingTest, CollectivesThatNeedNotBeEqualAreNoDeadlock) {
    waits(0, "MPI_Comm_accept", {collective("MPI_Comm_accept", 1, OVNI_MPI_SELF)});
    waits(1, "MPI_Comm_connect", {collective("MPI_Comm_connect", 1, OVNI_MPI_SELF)});
    waits(2, "MPI_Barrier", {collective("MPI_Barrier", 3)});
    waits(3, "MPI_Allreduce", {collective("MPI_Allreduce", 3)});
    open_.processes[2].has_all_turns = false;
    for (int rank = 0; rank < ranks_; ++rank) has_entered(rank, 3, halo);
    analyse();
    EXPECT_THAT(waiting_.circles, IsEmpty());
    for (const WaitingCall& call : waiting_.calls) EXPECT_THAT(call.needs, IsEmpty());
}

TEST_F(WaitingTest, ThreeThatReceiveFromEachOtherAreACircle) {
    waits(0, "MPI_Recv", {receive_from(1)});
    waits(1, "MPI_Recv", {receive_from(2, OVNI_MPI_ANY)});
    waits(2, "MPI_Recv", {receive_from(0)});
    EXPECT_THAT(lines(), ElementsAre("deadlock: rank 0 waits in MPI_Recv for rank 1, tag 7, for 10.0 s; "
                                     "rank 1 waits in MPI_Recv for rank 2, any tag, for 9.0 s; "
                                     "rank 2 waits in MPI_Recv for rank 0, tag 7, for 8.0 s"));
    EXPECT_THAT(waiting_.circles, ElementsAre(ElementsAre(0, 1, 2)));
}

TEST_F(WaitingTest, RanksThatAreNotInTheTraceAreNamedAsSuch) {
    ranks_ = 2;
    untraced_ = 1;
    waits(0, "MPI_Recv", {receive_from(2)});
    waits(1, "MPI_Barrier", {collective("MPI_Barrier", 3)});
    for (int rank : {0, 1}) has_entered(rank, 3, halo);
    EXPECT_THAT(lines(),
                ElementsAre("rank 0 waits in MPI_Recv for rank 2 (not in this trace), tag 7, for 10.0 s",
                            "rank 1 waits in MPI_Barrier for ranks that are not in this trace, "
                            "communicator 'halo', for 9.0 s"));
}

// Two worlds that were merged: the list of members has ranks of the world that the one who lists is in.
TEST_F(WaitingTest, RanksOfAnotherWorldAreNotCalledMissing) {
    ranks_ = 2;
    second_world_ = 1;
    analyse();
    const auto process_of = [&](int app) {
        return static_cast<int>(std::ranges::find(system_->processes(), app, &ProcessInfo::app_id) -
                                system_->processes().begin());
    };
    open_.communicators.push_back({static_cast<uint32_t>(process_of(1)), 1, {halo, 0, 3, 0, {0, 1, -1}, ""}});
    waits(process_of(2), "MPI_Recv", {receive_from(1, 7, halo)});
    const std::vector<std::string> said = lines();
    ASSERT_EQ(said.size(), 1u);
    EXPECT_THAT(said[0], testing::HasSubstr("waits in MPI_Recv for its rank 1, tag 7"));
}

TEST_F(WaitingTest, AMessageUnderWayIsInNoCircle) {
    waits(0, "MPI_Ssend", {send_to(1)});
    waits(1, "MPI_Recv", {receive_from(0)});
    EXPECT_THAT(analyse().circles, IsEmpty());
    EXPECT_THAT(waiting_.calls[0].needs, IsEmpty());
}

TEST_F(WaitingTest, AMessageWithAnotherTagOrCommunicatorIsAnotherOne) {
    for (const Awaited& other : {receive_from(0, 8), receive_from(0, 7, halo)}) {
        open_ = {};
        has_entered(0, 0, halo);
        waits(0, "MPI_Ssend", {send_to(1)});
        waits(1, "MPI_Recv", {other});
        EXPECT_THAT(analyse().circles, ElementsAre(ElementsAre(0, 1)));
    }
}

TEST_F(WaitingTest, WhatAnyRankCanEndIsInNoCircle) {
    waits(0, "MPI_Recv", {receive_from(OVNI_MPI_ANY)});
    waits(1, "MPI_Waitany", {receive_from(0), receive_from(2)}, false);
    EXPECT_THAT(lines(),
                ElementsAre("rank 0 waits in MPI_Recv for any rank, tag 7, for 10.0 s",
                            "rank 1 waits in MPI_Waitany for rank 0, tag 7, or one of 1 more, for 9.0 s"));
}

TEST_F(WaitingTest, SeveralRequestsNeedAllTheirRanks) {
    waits(0, "MPI_Waitall", {receive_from(1), send_to(3), receive_from(3)});
    EXPECT_THAT(analyse().calls[0].needs, ElementsAre(1, 3));
}

TEST_F(WaitingTest, ACollectiveNeedsThoseThatHaveNotEnteredIt) {
    for (int rank : {0, 1}) waits(rank, "MPI_Barrier", {{AwaitedKind::collective, -1, -1, halo, 3}});
    waits(2, "MPI_Recv", {receive_from(0)});
    for (int rank : {0, 1, 3}) has_entered(rank, 3, halo);
    has_entered(2, 2, halo);
    EXPECT_THAT(analyse().calls[0].needs, ElementsAre(2));
    EXPECT_THAT(
        lines(),
        ElementsAre("deadlock: rank 0 waits in MPI_Barrier for rank 2, which has not entered it, "
                    "communicator 'halo', for 10.0 s; rank 2 waits in MPI_Recv for rank 0, tag 7, for 8.0 s",
                    "rank 1 waits in MPI_Barrier for rank 2, which has not entered it, communicator "
                    "'halo', for 9.0 s"));
}

TEST_F(WaitingTest, ManyThatWaitForTheSameAreOneLine) {
    ranks_ = 300;
    for (int rank = 0; rank < 8; ++rank) {
        waits(rank, "MPI_Barrier", {{AwaitedKind::collective, -1, -1, OVNI_MPI_WORLD, 1}});
        has_entered(rank, 1);
    }
    EXPECT_THAT(lines(),
                ElementsAre("ranks 0-7 wait in MPI_Barrier for ranks 8-299, which have not entered it, "
                            "for 3.0 to 10.0 s"));
    EXPECT_EQ(waiting_.calls[0].needs.size(), 100u);
}

TEST_F(WaitingTest, LinesAreCountedWhereTheyAreTooMany) {
    for (int rank : {0, 1, 2, 3}) waits(rank, "MPI_Recv", {receive_from(OVNI_MPI_ANY, rank)});
    EXPECT_THAT(lines(2),
                ElementsAre("rank 0 waits in MPI_Recv for any rank, tag 0, for 10.0 s",
                            "rank 1 waits in MPI_Recv for any rank, tag 1, for 9.0 s", "2 more waits"));
}

TEST_F(WaitingTest, ShortCallsAreLeftOut) {
    waits(0, "MPI_Recv", {receive_from(1)});
    waits(1, "MPI_Recv", {receive_from(0)});
    EXPECT_THAT(lines(10, 9 * second + 1),
                ElementsAre("rank 0 waits in MPI_Recv for rank 1, tag 7, for 10.0 s"));
}

}  // namespace
}  // namespace ovni::test
