// The sentences on the causes that cost a run most.
#include "messages/short/in_short.hpp"

#include <gmock/gmock.h>

#include "mpi_function_rows.hpp"
#include "tests/support/trace_builder.hpp"
#include "trace/trace.hpp"

namespace ovni::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

uint32_t row_of_function(std::string_view name) {
    uint32_t number = 0;
    while (mpi_function_rows[number].name != name) ++number;
    return number;
}

// Four ranks on two nodes, and a run of 10 s in which all compute for 9.
class InShort : public testing::Test {
 protected:
    InShort() {
        for (int rank = 0; rank < 4; ++rank)
            builder_.thread({.loom = rank < 2 ? "node0.a" : "node1.a", .pid = 100 + rank, .tid = 100 + rank})
                .set("ovni.rank", rank)
                .set("ovni.nranks", 4)
                .starts(1000)
                .event("OHe", 2000);
        trace_.emplace(Trace::open(builder_.write()));
        system_.emplace(*trace_);
        Efficiency& run = efficiencies_.emplace_back();
        run.processes = 4;
        run.runtime = run.ideal_runtime = 10 * s;
        run.longest_useful = 9 * s;
        run.useful_sum = 36 * s;
    }
    std::vector<std::string> sentences() const {
        ShortSources sources{*trace_, *system_, regions_, efficiencies_, delays_, messages_};
        sources.in_functions = in_functions_;
        sources.waits = waits_;
        sources.deadlocks = deadlocks_;
        sources.crowd = crowd_;
        sources.places.of_sites = {{5, "save heat.c:12"}};
        return in_short(sources);
    }

    // `process` waits for `cause`.
    void add_wait(uint32_t process, uint32_t cause, uint64_t ns, WaitKind kind = WaitKind::late_sender) {
        WaitSum& wait = waits_.emplace_back();
        wait.process = process;
        wait.cause = cause;
        wait.function = row_of_function(kind == WaitKind::failed_tests ? "MPI_Test" : "MPI_Recv");
        wait.kind = kind;
        wait.ns = ns;
    }

    static DelayCost delay(uint32_t process, uint32_t function, int64_t region, uint64_t short_term,
                           uint64_t long_term) {
        DelayCost cost;
        cost.process = process;
        cost.activity = {function, 0, region};
        cost.short_term = short_term;
        cost.long_term = long_term;
        return cost;
    }

    static constexpr int64_t s = 1'000'000'000;
    TraceBuilder builder_;
    std::optional<Trace> trace_;
    std::optional<System> system_;
    const std::map<int64_t, std::string> regions_{{7, "solve"}};
    std::vector<Efficiency> efficiencies_;
    std::vector<DelayCost> delays_;
    MessageSummary messages_;
    std::map<uint32_t, uint64_t> in_functions_;
    std::vector<WaitSum> waits_;
    std::vector<std::string> deadlocks_;
    ShortSources::Crowd crowd_;
};

TEST_F(InShort, NothingIsBlamedInABalancedRun) {
    delays_ = {delay(0, outside_of_mpi, 0, s / 10, 0), delay(1, outside_of_mpi, 0, s / 10, 0)};
    EXPECT_THAT(sentences(),
                ElementsAre("No cause costs 3 % of the run: ranks compute for 90 % of the time."));
}

// 4 ranks wait for 8 s, which is 2 s each, 20 % of 10 s.
TEST_F(InShort, ALateRankIsNamedWithPlaceNodeAndCost) {
    delays_ = {delay(3, outside_of_mpi, 7, 6 * s, s),
               delay(3, row_of_function("MPI_File_write_all"), 0, s, 0), delay(0, outside_of_mpi, 0, 1, 0)};
    EXPECT_THAT(
        sentences(),
        ElementsAre("Other ranks wait 8 s in all, 20 % of the run on average, for rank 3 on node1: it "
                    "is late mostly (88 %) outside of MPI in region solve."));
    delays_ = {delay(2, row_of_function("MPI_File_write_all"), 0, 8 * s, 0)};
    EXPECT_THAT(sentences(),
                ElementsAre(HasSubstr("for rank 2 on node1: it is late in MPI_File_write_all.")));
    delays_[0].activity.site = 5;
    EXPECT_THAT(sentences(), ElementsAre(HasSubstr("it is late in MPI_File_write_all (save heat.c:12).")));
}

TEST_F(InShort, AChainIsNamedWithItsRanks) {
    delays_ = {delay(2, outside_of_mpi, 0, 2 * s, 4 * s)};
    add_wait(0, 2, 2 * s);
    add_wait(3, 0, 2 * s);
    add_wait(1, 3, s);
    EXPECT_THAT(sentences(), ElementsAre(HasSubstr(
                                 "for rank 2 on node1: it is late outside of MPI; it begins a chain of 4 "
                                 "ranks, each of which waits for the one before: 2, 0, 3, 1.")));
    // Short waits are none of the chain, and two ranks are none.
    waits_[2].ns = s / 2;
    EXPECT_THAT(sentences(), ElementsAre(HasSubstr("a chain of 3 ranks")));
    waits_[1].ns = s / 2;
    EXPECT_THAT(sentences(), ElementsAre(Not(HasSubstr("chain"))));
}

TEST_F(InShort, ACircleOfRanksIsAChainThatEnds) {
    delays_ = {delay(0, outside_of_mpi, 0, 2 * s, 4 * s)};
    for (uint32_t rank = 0; rank < 4; ++rank) add_wait(rank, (rank + 3) % 4, 2 * s);
    EXPECT_THAT(sentences(), ElementsAre(HasSubstr("the one before: 0, 1, 2, 3.")));
}

TEST_F(InShort, PollingIsNamed) {
    delays_ = {delay(1, outside_of_mpi, 0, 4 * s, 0)};
    add_wait(0, 1, 3 * s, WaitKind::failed_tests);
    add_wait(0, 1, 2 * s);
    add_wait(0, 2, 5 * s);
    EXPECT_THAT(sentences(),
                ElementsAre(HasSubstr("outside of MPI; others spend most of it in failed calls of "
                                      "MPI_Test, with little work in between.")));
    add_wait(2, 1, 2 * s);
    EXPECT_THAT(sentences(), ElementsAre(Not(HasSubstr("MPI_Test"))));
}

TEST_F(InShort, OneRankThatWritesAFileGetsAdvice) {
    delays_ = {delay(0, row_of_function("MPI_File_write_at"), 0, 8 * s, 0)};
    EXPECT_THAT(sentences(),
                ElementsAre(HasSubstr("it is late in MPI_File_write_at; let all ranks write a part "
                                      "each, by MPI_File_write_at_all.")));
    delays_[0].activity.function = row_of_function("MPI_File_read");
    EXPECT_THAT(sentences(), ElementsAre(HasSubstr("by MPI_File_read_at_all.")));
    delays_[0].activity.function = row_of_function("MPI_File_read_all");
    EXPECT_THAT(sentences(), ElementsAre(Not(HasSubstr(";"))));
}

TEST_F(InShort, ASlowHostIsNamedInsteadOfItsRanks) {
    efficiencies_[0].useful_of = {{0, 5 * s}, {1, 6 * s}, {2, 9 * s}, {3, 9 * s}};
    efficiencies_[0].useful_sum = 29 * s;
    efficiencies_[0].busiest = 2;
    delays_ = {delay(2, outside_of_mpi, 0, 3 * s, 0), delay(3, outside_of_mpi, 0, 4 * s, 0)};
    EXPECT_THAT(
        sentences(),
        ElementsAre("Other ranks wait 7 s in all, 18 % of the run on average, for host node1: all 2 ranks "
                    "on it compute for longer than any other rank, 9 s instead of 5.5 s on average: "
                    "compare its CPUs and their load with those of other hosts."));
    // Rank 3 alone takes much longer.
    efficiencies_[0].useful_of[2] = 6 * s + 1;
    EXPECT_THAT(sentences(), Contains(HasSubstr("for rank 3 on node1")));
}

TEST_F(InShort, ABusyRankIsNamedOnce) {
    efficiencies_[0].useful_sum = 18 * s;
    efficiencies_[0].busiest = 1;
    EXPECT_THAT(sentences(),
                ElementsAre("rank 1 on node0 computes for 9 s, ranks on average for 4.5 s: with equal shares "
                            "the run could be up to 4.5 s (45 %) shorter."));
    delays_ = {delay(1, outside_of_mpi, 0, 13 * s, 0)};
    EXPECT_THAT(sentences(), ElementsAre(AllOf(HasSubstr("for rank 1 on node0"),
                                               HasSubstr("on average for 4.5 s: share its work."))));
}

// 200000 messages of 8 bytes; 3 of 10 s are lost in MPI.
TEST_F(InShort, SmallMessagesAreToBeSentTogether) {
    efficiencies_[0].ideal_runtime = 7 * s;
    efficiencies_[0].longest_useful = 7 * s;
    efficiencies_[0].useful_sum = 28 * s;
    messages_.matched = 200000;
    messages_.bytes = 1600000;
    in_functions_ = {{row_of_function("MPI_Send"), 9 * s}, {row_of_function("MPI_Recv"), 2 * s}};
    EXPECT_THAT(sentences(),
                ElementsAre("MPI itself takes 3 s (30 % of the run), most of it in MPI_Send: 200000 messages "
                            "have 8 bytes on average, so send several together."));
    messages_.matched = 10;
    in_functions_ = {{row_of_function("MPI_Win_create"), s}};
    EXPECT_THAT(sentences(),
                ElementsAre("MPI itself takes 3 s (30 % of the run), most of it in MPI_Win_create."));
}

// Waits in calls that send and receive are what the messages take; those for other work are not.
TEST_F(InShort, SmallMessagesMakeNoRankLate) {
    efficiencies_[0].useful_sum = 8 * s;
    efficiencies_[0].longest_useful = 2 * s;
    efficiencies_[0].ideal_runtime = 4 * s;
    messages_.matched = 1000000;
    messages_.bytes = 8000000;
    delays_ = {delay(0, row_of_function("MPI_Send"), 0, 8 * s, 0), delay(1, outside_of_mpi, 0, 4 * s, 0)};
    crowd_ = {2, "CPU 0.1", 0.4};
    EXPECT_THAT(sentences(), ElementsAre(HasSubstr("CPU 0.1"),
                                         StartsWith("MPI itself takes 7 s (70 % of the run): 1000000"),
                                         HasSubstr("10 % of the run on average, for rank 1")));
    // So few take no time of their own.
    messages_.matched = 10000;
    EXPECT_THAT(sentences(), Contains(HasSubstr("for rank 0 on node0: it is late in MPI_Send")));
}

// Time that ranks lose as they share CPUs is none of the transfer of data.
TEST_F(InShort, DeadlocksAndSharedCpusComeFirst) {
    efficiencies_[0].ideal_runtime = 7 * s;
    delays_ = {delay(3, outside_of_mpi, 0, 30 * s, 0)};
    deadlocks_ = {"deadlock: rank 0 waits in MPI_Recv for rank 1"};
    crowd_ = {2, "CPU 0.1", 0.4};
    EXPECT_THAT(
        sentences(),
        ElementsAre("deadlock: rank 0 waits in MPI_Recv for rank 1.",
                    StartsWith("Several threads ran at once on 2 CPUs, on CPU 0.1 for 40 % of the trace"),
                    StartsWith("Other ranks wait 30 s")));
    crowd_.cramped = 2;
    crowd_.ranks = 1;
    crowd_.threads = crowd_.of_each = 4;
    crowd_.list = "0-1";
    EXPECT_THAT(sentences(),
                Contains(AllOf(HasSubstr("late: rank 2 on node1 has 4 threads and may use CPUs 0-1 alone, so "
                                         "start fewer, or give each rank"),
                               HasSubstr("--map-by slot:PE=4"))));
}

TEST_F(InShort, AtMostFiveSentencesAreMade) {
    for (uint32_t rank = 0; rank < 4; ++rank)
        delays_.push_back(delay(rank, outside_of_mpi, 0, static_cast<uint64_t>((4 + rank) * s), 0));
    deadlocks_ = {"deadlock: a", "deadlock: b", "deadlock: c"};
    EXPECT_THAT(sentences(), AllOf(testing::SizeIs(5), Contains(HasSubstr("for rank 3")),
                                   Contains(HasSubstr("for rank 2"))));
}

}  // namespace
}  // namespace ovni::test
