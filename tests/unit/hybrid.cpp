// The uses of threads and the hybrid efficiencies, by hand.
#include <gmock/gmock.h>

#include <numeric>

#include "messages/hybrid/hybrid_efficiency.hpp"
#include "messages/hybrid/process_uses.hpp"
#include "messages/hybrid/use_facts.hpp"

namespace ovni::test {
namespace {

using Shown = ProcessUses::Shown;

constexpr int64_t fork_call = 27, own_part = 30, join_barrier = 2, worker_loop = 31, critical = 6;
constexpr int64_t mutex = 1, barrier = 5, condition = 6;

// A process whose run lasts from 0 to 1000.
class HybridUse : public testing::Test {
 protected:
    ProcessUses begin(uint32_t threads) {
        ProcessUses process(threads);
        process.open(0, 0);
        for (uint32_t t = 0; t < threads; ++t) process.show(t, Shown::life, 1, 0);
        return process;
    }
    static ProcessUse end(ProcessUses& process, int64_t region = 0) {
        process.close(0, 1000);
        process.finish(1000);
        for (const ProcessUse& of : process.regions())
            if (of.region == region) return of;
        return {};
    }
    static int64_t time(const ProcessUse& of, Use use) { return time_of(of.times, use); }
};

TEST_F(HybridUse, ThreadWithLessWorkThanTheSlowestOneIsImbalanced) {
    ProcessUses process = begin(2);
    process.show(1, Shown::openmp, worker_loop, 0);
    process.show(0, Shown::openmp, fork_call, 100);
    process.show(0, Shown::openmp, own_part, 110);
    process.show(1, Shown::openmp, own_part, 120);
    process.show(0, Shown::openmp_region, 77, 120);
    process.show(1, Shown::openmp, join_barrier, 300);
    process.show(0, Shown::openmp, join_barrier, 490);
    process.show(1, Shown::openmp, worker_loop, 500);
    process.show(0, Shown::openmp, 0, 500);
    const ProcessUse all = end(process);
    EXPECT_EQ(all.threads, 2u);
    EXPECT_EQ(time(all, Use::serial), 100 + 500) << "the worker, outside of the region";
    EXPECT_EQ(time(all, Use::scheduling), 10 + 10 + 10) << "the fork, and what both wait at least";
    EXPECT_EQ(time(all, Use::imbalance), (20 + 200) - 10) << "the worker begins late and ends early";
    EXPECT_EQ(time(all, Use::useful), 100 + 380 + 500 + 180);
    EXPECT_EQ(life_of(all.times), 2000);
    ASSERT_EQ(process.constructs().size(), 1u);
    const ConstructUse& construct = process.constructs().begin()->second;
    EXPECT_EQ(construct.label, 77);
    EXPECT_EQ(construct.elapsed, 400);
    EXPECT_EQ(construct.threads, 2u);
    EXPECT_EQ(time_of(construct.times, Use::imbalance), 210);
}

TEST_F(HybridUse, WorkerThatShowsNothingBetweenRegionsIsIdle) {
    ProcessUses process = begin(2);
    for (int64_t begin : {100, 500}) {
        process.show(0, Shown::openmp, fork_call, begin);
        process.show(1, Shown::openmp, own_part, begin);
        process.show(0, Shown::openmp, own_part, begin);
        process.show(1, Shown::openmp, 0, begin + 100);
        process.show(0, Shown::openmp, 0, begin + 200);
    }
    const ProcessUse all = end(process);
    EXPECT_EQ(time(all, Use::serial), 200 + 300);
    EXPECT_EQ(time(all, Use::imbalance), 100 + 100);
    EXPECT_EQ(time(all, Use::useful), 1000 + 100 + 200) << "nobody knows of a worker before its first region";
}

TEST_F(HybridUse, JoinOfTheThreadThatForkedBelongsToTheRegion) {
    ProcessUses process = begin(2);
    process.show(0, Shown::openmp, fork_call, 100);
    process.show(1, Shown::openmp, own_part, 100);
    process.show(0, Shown::openmp, own_part, 100);
    process.show(1, Shown::openmp, 0, 200);
    process.show(0, Shown::openmp, fork_call, 300);
    process.show(0, Shown::openmp, join_barrier, 310);
    process.show(0, Shown::openmp, fork_call, 330);
    process.show(0, Shown::openmp, 0, 340);
    end(process);
    ASSERT_EQ(process.constructs().size(), 1u);
    EXPECT_EQ(process.constructs().begin()->second.visits, 1u);
    EXPECT_EQ(process.constructs().begin()->second.elapsed, 240);
}

// A worker of libgomp may be through before the thread that forked begins.
TEST_F(HybridUse, TaskBeforeThePartOfTheThreadThatForkedBelongsToTheRegion) {
    constexpr int64_t task = 19;
    ProcessUses process = begin(2);
    process.show(0, Shown::openmp, fork_call, 100);
    process.show(1, Shown::openmp, own_part, 110);
    process.show(1, Shown::openmp, 0, 120);
    process.show(1, Shown::openmp, task, 130);
    process.show(1, Shown::openmp, 0, 140);
    process.show(0, Shown::openmp, own_part, 150);
    process.show(0, Shown::openmp, 0, 200);
    end(process);
    ASSERT_EQ(process.constructs().size(), 1u);
    EXPECT_EQ(process.constructs().begin()->second.visits, 1u);
}

TEST_F(HybridUse, WaitsInMpiArePassedOnToIdleWorkers) {
    ProcessUses process = begin(2);
    process.show(1, Shown::openmp, worker_loop, 0);
    process.show(0, Shown::mpi, 5, 100);
    process.show(0, Shown::mpi_wait, 1, 110);
    process.show(0, Shown::mpi_wait, 0, 350);
    process.show(0, Shown::mpi, 0, 400);
    const ProcessUse all = end(process);
    EXPECT_EQ(time(all, Use::mpi), 300);
    EXPECT_EQ(time(all, Use::mpi_wait), 240);
    EXPECT_EQ(time(all, Use::during_mpi), 60);
    EXPECT_EQ(time(all, Use::serial), 700);
}

TEST_F(HybridUse, WaitsForLocksAndBarriersCount) {
    ProcessUses process = begin(2);
    process.show(0, Shown::posix_wait, mutex, 100);
    process.show(0, Shown::posix_wait, 0, 150);
    process.show(0, Shown::openmp, critical, 200);
    process.show(0, Shown::openmp, 0, 230);
    process.show(1, Shown::posix_wait, barrier, 300);
    process.show(1, Shown::posix_wait, 0, 400);
    const ProcessUse all = end(process);
    EXPECT_EQ(time(all, Use::locks), 50 + 30);
    EXPECT_TRUE(process.constructs().empty()) << "a critical section outside of regions is none";
    EXPECT_EQ(time(all, Use::imbalance), 100);
    EXPECT_EQ(time(all, Use::useful), 2000 - 180);
}

TEST_F(HybridUse, ThreadThatOnlySleepsIsLeftOut) {
    ProcessUses process = begin(3);
    process.show(1, Shown::posix_wait, condition, 10);
    process.show(2, Shown::posix_wait, condition, 100);
    process.show(2, Shown::posix_wait, 0, 900);
    const ProcessUse all = end(process);
    EXPECT_EQ(all.threads, 2u);
    EXPECT_EQ(time(all, Use::sleep), 800);
    EXPECT_EQ(time(all, Use::useful), 1000 + 200);
    ASSERT_EQ(process.sleepers().size(), 1u);
    EXPECT_EQ(process.sleepers()[0].thread, 1u);
    EXPECT_EQ(process.sleepers()[0].asleep, 990);
}

TEST_F(HybridUse, RegionHasTheTimesInIt) {
    ProcessUses process = begin(2);
    process.open(7, 100);
    process.show(0, Shown::posix_wait, mutex, 150);
    process.open(7, 160);
    process.close(7, 170);
    process.close(7, 200);
    process.show(0, Shown::posix_wait, 0, 300);
    process.open(7, 400);
    process.show(1, Shown::life, 0, 450);
    process.close(7, 500);
    const ProcessUse in_region = end(process, 7);
    EXPECT_EQ(in_region.elapsed, 200);
    EXPECT_EQ(time(in_region, Use::locks), 50);
    EXPECT_EQ(life_of(in_region.times), 200 + 200 - 50) << "a thread counts while it lives";
}

TEST_F(HybridUse, RegionThatIsOpenAtTheEndCountsUpToThere) {
    ProcessUses process = begin(2);
    process.open(7, 400);
    process.show(0, Shown::openmp, own_part, 500);
    process.show(1, Shown::openmp, own_part, 500);
    process.show(1, Shown::openmp, join_barrier, 600);
    const ProcessUse in_region = end(process, 7);
    EXPECT_EQ(in_region.elapsed, 600);
    EXPECT_EQ(time(in_region, Use::imbalance), 400);
}

ProcessUse use_of(uint32_t process, uint32_t threads, int64_t elapsed, const UseTimes& times) {
    ProcessUse use;
    use.process = process;
    use.threads = threads;
    use.elapsed = elapsed;
    use.times = times;
    return use;
}

// In the order of Use: useful, mpi, mpi_wait, during_mpi, serial, imbalance, scheduling, locks, sleep.
TEST(HybridEfficiencyTest, FactorsAreThoseOfTheDocumentation) {
    const std::vector<ProcessUse> uses{use_of(0, 4, 1000, {2000, 200, 300, 100, 400, 600, 100, 200, 100}),
                                       use_of(1, 2, 1000, {1500, 100, 0, 0, 200, 100, 50, 50, 0})};
    const std::vector<HybridEfficiency> all = hybrid_efficiencies(uses, {});
    ASSERT_EQ(all.size(), 1u);
    const HybridEfficiency& of = all[0];
    const double t = 6000, c = 300, w = 300;
    EXPECT_DOUBLE_EQ(of.thread_time, t);
    EXPECT_DOUBLE_EQ(of.parallel(), 3500 / t);
    EXPECT_DOUBLE_EQ(of.mpi_parallel(), (t - c - w) / t);
    EXPECT_DOUBLE_EQ(of.mpi_balance, (3500.0 + 1900) / 6 / (1900.0 / 2));
    EXPECT_DOUBLE_EQ(of.mpi_balance * of.mpi_communication(), of.mpi_parallel());
    EXPECT_DOUBLE_EQ(of.threads_parallel(), 3500 / (t - c - w));
    EXPECT_DOUBLE_EQ(of.factor(Use::during_mpi), 5300.0 / 5400);
    EXPECT_DOUBLE_EQ(of.factor(Use::serial), 4700.0 / 5300);
    EXPECT_DOUBLE_EQ(of.factor(Use::imbalance), 4000.0 / 4700);
    double product = of.mpi_parallel();
    for (const FactorRow& row : hybrid_factors) product *= of.factor(row.use);
    EXPECT_NEAR(product, of.parallel(), 1e-12);
    EXPECT_DOUBLE_EQ(of.share_of(Use::locks), 250 / t);
}

TEST(HybridEfficiencyTest, ProcessThatIsNotInTheRegionForAllOfItIsInMpiMeanwhile) {
    const std::vector<ProcessUse> uses{use_of(0, 2, 1000, {2000}), use_of(1, 2, 500, {1000})};
    const HybridEfficiency of = hybrid_efficiencies(uses, {})[0];
    EXPECT_DOUBLE_EQ(of.parallel(), 0.75);
    EXPECT_DOUBLE_EQ(of.mpi_parallel(), 0.75);
    EXPECT_DOUBLE_EQ(of.mpi_balance, 0.75);
    EXPECT_DOUBLE_EQ(of.threads_parallel(), 1);
}

TEST(HybridEfficiencyTest, ProgramsThatStartRanksAreLeftOut) {
    ThreadUseFacts facts{{use_of(0, 1, 9000, {9000}), use_of(1, 2, 1000, {2000})}, {{.process = 0}}, {}};
    leave_out_starters(facts);
    EXPECT_EQ(facts.processes.size(), 2u) << "of a run without MPI, all count";
    facts.processes[1].has_mpi = 1;
    leave_out_starters(facts);
    ASSERT_EQ(facts.processes.size(), 1u);
    EXPECT_EQ(facts.processes[0].process, 1u);
    EXPECT_TRUE(facts.constructs.empty());
}

// They are those of POP then.
TEST(HybridEfficiencyTest, SingleThreadsHaveNone) {
    EXPECT_TRUE(hybrid_efficiencies(std::vector{use_of(0, 1, 1000, {1000})}, {}).empty());
}

}  // namespace
}  // namespace ovni::test
