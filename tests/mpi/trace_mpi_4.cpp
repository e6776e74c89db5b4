// Functions of MPI 4: what is recorded of them beside what every function has.
#include <set>

#include "model/mpi_details.hpp"
#include "ovni/mpi_events.h"
#include "tests/mpi/account.hpp"
#include "tests/mpi/mpi_functions.hpp"
#include "tests/mpi/recorded_traffic.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

namespace {

constexpr int nothing_here = 77;
constexpr uint64_t huge = 5 * (uint64_t{1} << 30) + 3;

}  // namespace

class Mpi4 : public TracedTest {
 protected:
    // Traces a program of MPI 4 on so many ranks; false if this MPI has no such thing.
    bool has_run(const std::string& name, int ranks) {
        if (!std::filesystem::exists(app(name))) return false;
        const Finished done = traced(ranks, {app(name), path("")}, {"--cpu", "virtual"});
        if (done.status == nothing_here) return false;
        EXPECT_EQ(done.status, 0) << done.err;
        return true;
    }
    // The bytes in events of that step of a function, on rank 0.
    std::multiset<uint64_t> bytes_of(const std::string& function, MpiStep step) const {
        std::multiset<uint64_t> all;
        const Trace trace = this->trace();
        for (uint32_t s = 0; s < trace.streams().size(); ++s) {
            if (trace.streams()[s].metadata.process->rank != 0) continue;
            for (StreamReader reader = trace.reader(s, 0, ClockOrder::checked); reader.next();) {
                const EventView& event = reader.event();
                if (event.kind != EventView::Kind::event || event.jumbo()) continue;
                const MpiDetails details = mpi_details(event.code, event.payload());
                if (details.step == step && details.function && details.function->name == function)
                    all.insert(details.bytes.value_or(0));
            }
        }
        return all;
    }
    void expect_huge_counts() const {
        EXPECT_EQ(bytes_of("MPI_Send_c", MpiStep::leave).count(huge), 1u);
        EXPECT_EQ(bytes_of("MPI_Bcast_c", MpiStep::enter).count(huge), 1u);
    }
    // Every call that the program counted is an enter and a leave, and there are no others.
    void expect_calls_as_counted(size_t ranks) const {
        const Trace trace = this->trace();
        ASSERT_EQ(trace.streams().size(), ranks);
        for (uint32_t s = 0; s < trace.streams().size(); ++s) {
            auto calls = counted(path("calls." + std::to_string(*trace.streams()[s].metadata.process->rank)));
            auto events = counts_of(trace, s);
            int all = 0, expected = 0;
            for (const MpiFunction& function : mpi_functions()) {
                const int made = function.tier == 3 ? 0 : calls["MPI_" + function.name];
                EXPECT_EQ(events[function.enter], made) << function.name;
                expected += 2 * made;
            }
            for (const auto& [code, count] : events) all += code[0] == 'M' ? count : 0;
            EXPECT_EQ(all, expected);
        }
    }
    static constexpr const char* missing = "this MPI has no functions of MPI 4, or no programs with them";
};

TEST_F(Mpi4, MoreThan4GibAreCounted) {
    if (!has_run("calls_mpi_4", 2)) GTEST_SKIP() << missing;
    expect_huge_counts();
    EXPECT_EQ(bytes_of("MPI_Send_c", MpiStep::leave).count(2 * huge), 1u);
    EXPECT_EQ(bytes_of("MPI_Send", MpiStep::leave).count(2 * huge), 1u);
    EXPECT_EQ(bytes_of("MPI_Isend_c", MpiStep::leave).count(huge), 1u);
    EXPECT_EQ(bytes_of("MPI_Allreduce_c", MpiStep::enter).count(huge), 1u);
    EXPECT_EQ(bytes_of("MPI_Allreduce_c", MpiStep::leave).count(huge), 1u);
}

TEST_F(Mpi4, RoutinesWithLargeCountsAreThoseOfC) {
    if (!has_run("large_f08", 3)) GTEST_SKIP() << missing;
    expect_huge_counts();
    expect_calls_as_counted(3);
    expect_emulates({"-l"});
}

// The library for the MPI of the build is loaded into env, and hands over.
TEST_F(Mpi4, CallsAreRecordedIfTheMpiShowsLate) {
    constexpr int ranks = 2;
    const Finished done = traced(ranks, {"env", app("calls_mpi_4"), path("")});
    if (done.status == nothing_here) GTEST_SKIP() << missing;
    ASSERT_EQ(done.status, 0) << done.err;
    expect_calls_as_counted(ranks);
    expect_huge_counts();
}

// Streams of all ranks come together although nobody calls MPI_Init or MPI_Finalize.
TEST_F(Mpi4, SessionsAreEnough) {
    constexpr size_t ranks = 3;
    if (!has_run("sessions", ranks)) GTEST_SKIP() << missing;
    expect_calls_as_counted(ranks);
    const Trace trace = this->trace();
    std::set<int> seen;
    std::set<std::string> runs;
    for (const Stream& stream : trace.streams()) {
        const StreamMetadata& about = stream.metadata;
        seen.insert(*about.process->rank);
        runs.insert(about.common->run.value_or(""));
        EXPECT_EQ(about.process->nranks, static_cast<int>(ranks));
        EXPECT_EQ(about.common->loom, trace.streams()[0].metadata.common->loom);
        EXPECT_FALSE(about.end.has_value());
    }
    EXPECT_EQ(seen.size(), ranks);
    EXPECT_EQ(runs.size(), 1u);
    const RecordedTraffic recorded(trace);
    EXPECT_EQ(recorded.sent(), recorded.received());
    EXPECT_EQ(recorded.account().sent.size(), ranks);
    // Three communicators of the group and a copy, which all ranks know by the same ids.
    EXPECT_EQ(recorded.tellers().size(), 4u);
    for (const auto& [id, tellers] : recorded.tellers()) EXPECT_EQ(tellers.size(), ranks) << id;
    expect_emulates({"-l"});
}

}  // namespace ovni::test
