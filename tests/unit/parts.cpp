// The parts of a trace that ranks emulate apart.
#include "session/deal/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "base/thread_ranks.hpp"
#include "session/deal/cpu_uses.hpp"
#include "tests/support/trace_builder.hpp"

namespace ovni::test {
namespace {

using testing::Each;
using testing::ElementsAre;

const std::vector<std::pair<int, int>> six_cpus = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};

class PartsTest : public testing::Test {
 protected:
    // A process of the only loom, with one thread that starts there.
    StreamBuilder& process(int pid, int cpu) {
        return trace_.thread({.pid = pid, .tid = pid, .cpus = six_cpus}).starts(pid, cpu);
    }
    // The part of each process.
    std::vector<uint32_t> parts(int ranks = 1) {
        const Trace trace = Trace::open(trace_.write());
        const System system(trace);
        const Readers readers = all_ranks(ranks);
        const OpenStream open = [&](uint32_t s) { return trace.reader(s, 0, ClockOrder::checked, regions_); };
        Parts parts;
        run_on_threads(ranks, [&](const Ranks& of) {
            Parts found = parts_apart(system, find_cpu_uses(of, trace, system, readers, open));
            if (of.is_root()) parts = std::move(found);
            return 0;
        });
        EXPECT_EQ(parts.of_cpu.size(), system.cpus().size());
        of_cpu_ = parts.of_cpu;
        return parts.of_process;
    }
    // The share of each rank.
    std::vector<Share> shares(int ranks) {
        const Trace trace = Trace::open(trace_.write());
        const System system(trace);
        const Readers readers = all_ranks(ranks);
        const OpenStream open = [&](uint32_t s) {
            ++opened_;
            return trace.reader(s, 0, ClockOrder::checked);
        };
        std::vector<Share> shares(static_cast<size_t>(ranks));
        run_on_threads(ranks, [&](const Ranks& of) {
            shares[static_cast<size_t>(of.rank())] = find_share(of, trace, system, readers, open);
            return 0;
        });
        return shares;
    }
    // The rank that has each process.
    std::vector<int> dealt(int ranks) {
        const std::vector<Share> all = shares(ranks);
        std::vector<int> owner;
        for (size_t p = 0; p < all.front().processes.size(); ++p) {
            std::vector<int> owners;
            for (int rank = 0; rank < ranks; ++rank)
                if (all[static_cast<size_t>(rank)].processes[p]) owners.push_back(rank);
            EXPECT_EQ(owners.size(), 1u);
            owner.push_back(owners.front());
        }
        return owner;
    }
    TraceBuilder trace_;
    std::vector<uint32_t> of_cpu_;
    Regions regions_ = Regions::as_they_are;
    std::atomic<int> opened_ = 0;
};

TEST_F(PartsTest, ProcessesWithCpusOfTheirOwnAreParts) {
    for (int pid : {1, 2, 3}) process(pid, pid).ends(100 + pid);
    for (int ranks : {1, 2, 4}) EXPECT_THAT(parts(ranks), ElementsAre(0, 1, 2));
    // CPU 0, those of the processes, those that nobody used, the virtual one.
    EXPECT_THAT(of_cpu_, ElementsAre(0, 0, 1, 2, 0, 0, 0));
}

TEST_F(PartsTest, HoldAllWhoUseACpuWheneverThatIs) {
    process(1, 1).ends(50);
    process(2, 2).event("OAs", 60, {4}).ends(70);
    process(3, 3).ends(71);
    process(4, 1).ends(72);
    process(5, 5).event("OAs", 80, {4}).ends(90);
    for (int ranks : {1, 3}) EXPECT_THAT(parts(ranks), ElementsAre(0, 1, 2, 0, 1));
}

TEST_F(PartsTest, HoldWhoMovesAThreadOfAnotherProcess) {
    process(1, 1).event("OAr", 50, {5, 3}).ends(100);
    process(2, 2).ends(101);
    process(3, 3).ends(102);
    EXPECT_THAT(parts(), ElementsAre(0, 1, 0));
}

TEST_F(PartsTest, HoldAllThreadsOfTheVirtualCpu) {
    process(1, -1).ends(100);
    process(2, 2).ends(101);
    process(3, -1).ends(102);
    EXPECT_THAT(parts(), ElementsAre(0, 1, 0));
}

TEST_F(PartsTest, LoomsAreWholeWhereEventsAreMissing) {
    process(1, 1).ends(100);
    process(2, 2).gap(50, 60).event("OB.", 70).ends(101);
    trace_.thread({.loom = "node1.a", .pid = 7, .tid = 7, .cpus = six_cpus}).starts(7, 1).ends(100);
    trace_.thread({.loom = "node1.a", .pid = 8, .tid = 8, .cpus = six_cpus}).starts(8, 2).ends(100);
    EXPECT_THAT(parts(), ElementsAre(0, 0, 1, 2));
    process(3, 3).ends(103).truncate(2);
    EXPECT_THAT(parts(), ElementsAre(0, 0, 0, 1, 2));
}

TEST_F(PartsTest, LoomsAreWholeWhereACpuIsNotThere) {
    process(1, 1).event("OAr", 50, {9, 2}).ends(100);
    process(2, 2).ends(101);
    EXPECT_THAT(parts(), ElementsAre(0, 0));
}

constexpr int64_t many = 10000;  // events: more bytes than one block

TEST_F(PartsTest, HoldWhoMovesLateInALongStream) {
    StreamBuilder& mover = process(2, 2);
    for (int64_t i = 0; i < many; ++i) mover.event("OB.", 10 + i);
    mover.event("OAs", many + 20, {4});
    for (int64_t i = 0; i < many; ++i) mover.event("OB.", many + 30 + i);
    mover.event("OAr", 3 * many, {2, 3}).ends(3 * many + 1);
    process(1, 1).ends(100);
    process(3, 3).ends(101);
    process(4, 4).ends(102);
    for (int ranks : {1, 2}) EXPECT_THAT(parts(ranks), ElementsAre(0, 1, 1, 1));
}

// The region behind the move is played before it.
TEST_F(PartsTest, HoldWhoMovesAmidSortedEvents) {
    StreamBuilder& mover = process(2, 2);
    int64_t clock = 10;
    while (mover.bytes().size() < largest_block + 100) mover.event("OB.", ++clock);
    mover.event("OAs", clock + 50, {4}).event("OU[", clock + 60);
    for (int64_t i = 0; i < many; ++i) mover.event("OB.", clock + 1);
    mover.event("OU]", clock + 61).ends(clock + 70);
    process(1, 1).ends(100);
    process(4, 4).ends(101);
    regions_ = Regions::sorted;
    EXPECT_THAT(parts(), ElementsAre(0, 1, 1));
}

// The error names the CPU, and not a thread of a process that is emulated elsewhere.
TEST_F(PartsTest, LoomsAreWholeWhereALongStreamNamesACpuThatIsNotThere) {
    StreamBuilder& stream = process(1, 1);
    while (stream.bytes().size() < 3 * largest_block) stream.event("OB.", 10);
    stream.event("OAr", 50, {9, 2}).ends(100);
    process(2, 2).ends(101);
    EXPECT_THAT(parts(), ElementsAre(0, 0));
}

TEST_F(PartsTest, IgnoreBytesThatOnlyLookLikeAMove) {
    constexpr int64_t looks_like_move = 'O' | 'A' << 8 | 's' << 16;
    StreamBuilder& stays = process(2, 2);
    for (int64_t i = 0; i < many; ++i) stays.event("OB.", 10 + i);
    // The CPU would be 1, that of the other process.
    for (int64_t i = 0; i < many; ++i) stays.event("OU[", looks_like_move, {1 << 24, 0});
    stays.ends(looks_like_move + 1);
    process(1, 1).ends(100);
    EXPECT_THAT(parts(), ElementsAre(0, 1));
}

TEST_F(PartsTest, LoomsAreWholeWhereALongStreamHasAGap) {
    StreamBuilder& stream = process(1, 1);
    for (int64_t i = 0; i < many; ++i) stream.event("OB.", 10 + i);
    stream.gap(20 + many, 30 + many).ends(40 + many);
    process(2, 2).ends(100);
    EXPECT_THAT(parts(), ElementsAre(0, 0));
}

TEST_F(PartsTest, ProcessesThatAreAloneInTheirLoomsNeedNoReading) {
    for (const char* loom : {"node1.a", "node2.a"})
        trace_.thread({.loom = loom, .pid = 9, .tid = 9, .cpus = six_cpus}).starts(9, 1).ends(100);
    for (int pid : {1, 2}) process(pid, pid).ends(100);
    EXPECT_THAT(dealt(4), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(opened_, 4);  // each once for its start, once for the rest
}

TEST_F(PartsTest, EventsAreReadOnlyWhereThatBalances) {
    for (const char* loom : {"node0.a", "node1.a"})
        for (int pid : {1, 2})
            trace_.thread({.loom = loom, .pid = pid, .tid = pid, .cpus = six_cpus})
                .starts(pid, pid)
                .ends(100);
    EXPECT_THAT(dealt(2), ElementsAre(0, 0, 1, 1));
    EXPECT_EQ(opened_, 0);
    EXPECT_THAT(dealt(4), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(opened_, 8);
}

TEST_F(PartsTest, FirstEventsAreEnoughWhereAllStartOnOneCpu) {
    for (int pid : {1, 2, 3}) process(pid, 1).event("OAs", 50, {pid}).ends(100);
    EXPECT_THAT(dealt(2), ElementsAre(0, 0, 0));
    EXPECT_EQ(opened_, 3);
}

// Rank 0 has the whole trace, of which it alone can say the order.
TEST_F(PartsTest, RankZeroHasTheWholeTraceInExactOrder) {
    for (int pid : {1, 2, 3}) process(pid, pid).ends(100);
    const Trace trace = Trace::open(trace_.write());
    const System system(trace);
    run_on_threads(2, [&](const Ranks& of) {
        const Share share = share_of_root(of, system);
        EXPECT_THAT(share.processes, Each(of.is_root()));
        EXPECT_THAT(share.cpus, Each(of.is_root()));
        return 0;
    });
}

TEST_F(PartsTest, OneRankHasTheWholeTrace) {
    for (int pid : {1, 2}) process(pid, pid).ends(100);
    EXPECT_THAT(dealt(1), ElementsAre(0, 0));
    EXPECT_EQ(opened_, 0);
}

}  // namespace
}  // namespace ovni::test
