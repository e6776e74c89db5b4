// The first sentences of the report name the problem that a program has: its cause, its place and its cost.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "tests/mpi/ending_jobs.hpp"
#include "tests/mpi/not_yet.hpp"
#include "tests/mpi/planted_problem.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::StartsWith;

class Problems : public TracedTest {
 protected:
    Problems() { prepare_for_mpirun(); }
    PlantedProblem recorded(const std::string& problem, int ranks, const std::string& again = "") {
        const Finished& done = traced_once(problem + again, ranks, {app("problems"), problem});
        EXPECT_EQ(done.status, 0) << done.err;
        sentences_ = first_sentences(trace_directory(), path("report.json"));
        return PlantedProblem(done.out);
    }
    bool shared_its_cpus() const {
        const Words all = nlohmann::json::parse(read_file(path("report.json")))["in_short"];
        return std::ranges::any_of(all, [](auto& one) { return one.starts_with("Other programs took"); });
    }
    Words sentences_;
};

struct Expected {
    const char* problem;
    int ranks;
    const char* sentence;  // an expression
    const char* source;    // the file whose line is named
    int threads = 1;       // of each rank
};
void PrintTo(const Expected& expected, std::ostream* out) {
    *out << expected.problem;
}

class ProblemOfAKind : public Problems, public testing::WithParamInterface<Expected> {
 protected:
    void SetUp() override { skip_if_not_yet(GetParam().problem); }
};
class LineOfAProblem : public ProblemOfAKind {
 protected:
    void SetUp() override { skip_if_not_yet(std::string("line of ") + GetParam().problem); }
};
class NoProblem : public Problems, public testing::WithParamInterface<const char*> {
 protected:
    void SetUp() override { skip_if_not_yet(GetParam()); }
};

// A rank that has waited may have to wait for a CPU, too, which the program takes for one wait.
TEST_P(ProblemOfAKind, CauseAndCostAreNamed) {
    std::string fault;
    for (const char* again : {"", " again", " a last time"}) {
        const PlantedProblem planted = recorded(GetParam().problem, GetParam().ranks, again);
        fault = fault_in(sentences_, GetParam().sentence, planted.share(GetParam().threads));
        if (fault.empty()) return;
    }
    ADD_FAILURE() << "each time, at last: " << fault;
}

TEST_P(LineOfAProblem, LineIsNamed) {
    const PlantedProblem planted = recorded(GetParam().problem, GetParam().ranks);
    expect_line(sentences_, GetParam().source, planted.lines);
}

// On a busy machine ranks do wait for CPUs.
TEST_P(NoProblem, NothingIsBlamed) {
    const auto nothing = ElementsAre(StartsWith("No cause costs 3 % of the run"));
    bool is_busy = true;
    for (const char* again : {"", " again", " once more", " and again"}) {
        recorded(GetParam(), 2, again);
        if (testing::Value(sentences_, nothing)) return;
        is_busy = is_busy && shared_its_cpus();
    }
    if (is_busy) GTEST_SKIP() << "other programs took CPUs in each run";
    EXPECT_THAT(sentences_, nothing);
}

const Expected problems[] = {
    {"late_sender", 2, "for rank 1: it is late (mostly .*)?outside of MPI", "messages.cpp"},
    {"chain", 4, "for rank 0: .*chain of 4 ranks.*: 0, 1, 2, 3", "messages.cpp"},
    {"polling_wait", 2, "for rank 1: .*MPI_Test", "messages.cpp"},
    {"message_storm", 2, "messages have 8 bytes on average, so send several together", "messages.cpp"},
    {"region_imbalance", 3, "for rank 2: .* in region solve", "shares.cpp"},
    {"unmarked_imbalance", 3, "for rank 2: .* outside of MPI", "shares.cpp"},
    {"one_writer", 2, "for rank 0: .* in MPI_File_write_at .*MPI_File_write_at_all", "shares.cpp"},
    {"lock_contention", 2, "[Tt]hreads.* lock", "lock.cpp", 4},
};
std::string name_of(const testing::TestParamInfo<Expected>& of) {
    return of.param.problem;
}
INSTANTIATE_TEST_SUITE_P(Of, ProblemOfAKind, testing::ValuesIn(problems), name_of);
INSTANTIATE_TEST_SUITE_P(Of, LineOfAProblem, testing::ValuesIn(problems), name_of);
INSTANTIATE_TEST_SUITE_P(Of, NoProblem, testing::Values("balanced", "polling_with_work"),
                         [](const auto& of) { return std::string(of.param); });

class ProblemOfAHangingJob : public JobEnds {
 protected:
    // Jobs of other cases have other directories.
    ~ProblemOfAHangingJob() override {
        for (const char* name : {"OVNI_RUNDIR", "OVNI_TRACEDIR"}) ::unsetenv(name);
    }
};

TEST_F(ProblemOfAHangingJob, DeadlockComesFirst) {
    // mpirun may hang at its own end.
    run({"timeout", "-k", "5", "4", launcher(), "-n", "2", program("ovnirun"), app("problems"), "deadlock"});
    recover();
    const Words sentences = first_sentences(trace_directory(), path("report.json"));
    ASSERT_FALSE(sentences.empty());
    EXPECT_THAT(sentences[0],
                ContainsRegex("deadlock: rank 0 waits in MPI_Recv for rank 1.*; rank 1 waits in "
                              "MPI_Recv for rank 0"));
}

// Keeps all CPUs busy.
class BusyMachine {
 public:
    BusyMachine() {
        for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
            threads_.emplace_back([this] {
                while (!ends_) {
                }
            });
    }
    ~BusyMachine() {
        ends_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    BusyMachine(const BusyMachine&) = delete;
    BusyMachine& operator=(const BusyMachine&) = delete;

 private:
    std::atomic<bool> ends_{false};
    std::vector<std::thread> threads_;
};

TEST_F(Problems, OtherProgramsOnTheNodeAreNamed) {
    const BusyMachine others;
    ASSERT_EQ(traced_once("busy", 2, {app("problems"), "message_storm"}).status, 0);
    const std::string report = path("report.json");
    ASSERT_EQ(run({program("ovniemu"), "--report", report, "-o", path("out"), trace_directory()}).status, 0);
    EXPECT_THAT(Words(nlohmann::json::parse(read_file(report))["in_short"]),
                Contains(ContainsRegex("Other programs took [1-9][0-9] % of the time of CPU")));
}

class ProblemOfAHost : public Problems {};

// Each of two nodes runs two ranks.
TEST_F(ProblemOfAHost, ASlowHostIsNamed) {
    const std::string vcluster = SOURCE_DIR "/scripts/vcluster";
    if (const Finished can = run({vcluster, "can"}); can.status != 0) GTEST_SKIP() << can.err;
    const Words state{"OVNI_VCLUSTER_DIR=" + path("vcluster")};
    ASSERT_EQ(run({vcluster, "up", "2"}, state).status, 0);
    const Finished done = run({vcluster, "run", "--npernode", "2", program("ovnirun"), "-o",
                               trace_directory(), app("problems"), "slow_host"},
                              state, 120);
    run({vcluster, "down"}, state);
    ASSERT_EQ(done.status, 0) << done.err;
    const PlantedProblem planted(done.out);
    ASSERT_EQ(planted.hosts_to_blame.size(), 1u);
    EXPECT_EQ(fault_in(first_sentences(trace_directory(), path("report.json")),
                       "for host " + *planted.hosts_to_blame.begin() + ": all 2 ranks", planted.share(1)),
              "");
}

}  // namespace
}  // namespace ovni::test
