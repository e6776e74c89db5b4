// The traces of OpenMP programs, against what the programs count themselves.
#include <algorithm>
#include <functional>
#include <iterator>

#include "base/file.hpp"
#include "tests/openmp/openmp_test.hpp"

namespace ovni::test {
namespace {

constexpr int construct_ranks = 2;

class OpenMpConstructs : public OpenMpTest {
 protected:
    Counts told_by(int rank) const {
        std::ifstream file(path("counts." + std::to_string(rank)));
        Counts counts;
        std::string name;
        for (long count = 0; file >> name >> count;) counts[name] = count;
        return counts;
    }
    std::string directory() const { return path(""); }
    // Calls `take` with the codes of each stream, in their order.
    void for_each_stream(const std::function<void(const Words&)>& take) const {
        const Trace read = trace();
        for (uint32_t s = 0; s < read.streams().size(); ++s) {
            Words codes;
            for (StreamReader reader = read.reader(s, 0, ClockOrder::checked); reader.next();)
                if (reader.event().kind == EventView::Kind::event)
                    codes.emplace_back(reader.event().code.text().data());
            take(codes);
        }
    }
};

TEST_P(OpenMpConstructs, CountsAreThoseOfTheProgram) {
    Finished done = traced_openmp(construct_ranks, {openmp_program("constructs"), directory()});
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
    const std::string holding = "PX[8";
    constexpr long shown_again = 30;  // locks that are held where one below them is given back
    for (int rank = 0; rank < construct_ranks; ++rank) {
        Counts told = told_by(rank), found = counts_of_rank(rank);
        ASSERT_GT(told["parts"], 3000);
        EXPECT_EQ(found["PR["], told["parts"]);
        EXPECT_EQ(found["PMu"], told["parts"]);
        EXPECT_EQ(found["PCf"], told["regions"]);
        EXPECT_EQ(found["PCF"], told["regions"]);
        EXPECT_EQ(found["PBb"], told["barriers"]);
        EXPECT_EQ(found["PI["], told["criticals"]);
        EXPECT_EQ(found[holding], told["locks"] + shown_again);
        EXPECT_GE(found["PTt"], told["taskwaits"]);
        // Untied tasks may run in several pieces, each of them a body.
        EXPECT_GE(found["PNc"], told["tasks"]);
        EXPECT_GE(found["PPx"], found["PNc"]);
        EXPECT_EQ(found["PPx"], found["PPe"]);
    }
}

TEST_P(OpenMpConstructs, TasksAreThoseOfTheProgram) {
    Finished done = traced_openmp(1, {openmp_program("constructs"), directory(), "tasks"});
    ASSERT_EQ(done.status, 0) << done.err;
    Counts told = told_by(0), found = counts_of_rank(0);
    EXPECT_EQ(found["PNc"], told["tasks"]);
    EXPECT_EQ(found["PPc"], told["tasks"]);
    EXPECT_EQ(found["PPx"], told["tasks"]);
    EXPECT_EQ(found["PTt"], told["taskwaits"]);
    EXPECT_EQ(found["PTg"], told["taskgroups"]);
    // Each of the chain but the first waits for the one before; those that are over already are not told.
    EXPECT_LE(found["PNd"], 19);
}

TEST_P(OpenMpConstructs, WaitsGoOnWhileTasksRunInThem) {
    ASSERT_EQ(traced_openmp(1, {openmp_program("constructs"), directory(), "tasks"}).status, 0);
    long within = 0;
    for_each_stream([&](const Words& codes) {
        long waits = 0;
        for (const std::string& code : codes) {
            waits += code == "PTt" || code == "PTg" || code == "PBb" || code == "PBj" ? 1 : 0;
            waits -= code == "PTT" || code == "PTG" || code == "PBB" || code == "PBJ" ? 1 : 0;
            within += code == "PPx" && waits > 0 ? 1 : 0;
        }
    });
    EXPECT_GT(within, 0) << "most bodies run in a wait";
}

// Such a task is over when its event is fulfilled.
TEST_P(OpenMpConstructs, BodiesOfDetachedTasksEndWhereTheyReturn) {
    if (GetParam() != Runtime::libomp) GTEST_SKIP() << "only those that clang makes are recorded";
    Finished done = traced_openmp(1, {openmp_program("constructs"), directory(), "detached"});
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
    Words bodies, expected;
    for_each_stream([&](const Words& codes) {
        std::ranges::copy_if(codes, std::back_inserter(bodies),
                             [](const std::string& code) { return code == "PPx" || code == "PPe"; });
    });
    for (long i = 0; i < told_by(0)["tasks"]; ++i) expected = expected + Words{"PPx", "PPe"};
    EXPECT_EQ(bodies, expected);
}

TEST_P(OpenMpConstructs, ResultsAreUnchanged) {
    const Words words{openmp_program("constructs"), directory()};
    Finished plain = mpirun(construct_ranks, words, {"OMP_NUM_THREADS=3"});
    Finished done = traced_openmp(construct_ranks, words);
    EXPECT_EQ(done.status, plain.status);
    EXPECT_EQ(done.out, plain.out);
    Finished off = traced_openmp(construct_ranks, words, {"--openmp", "off"});
    EXPECT_EQ(off.out, plain.out);
}

// Whatever the runtime calls on behalf of the program.
TEST_P(OpenMpConstructs, LabelsOfTaskloopsArePlacesInTheProgram) {
    ASSERT_EQ(traced_openmp(1, {openmp_program("constructs"), directory(), "free_tasks"}).status, 0);
    expect_strictly_emulates();
    const std::string pcf = read_file(trace_directory() + "/thread.pcf");
    EXPECT_NE(pcf.find("taskloop "), std::string::npos);
    EXPECT_EQ(pcf.find("task __kmp"), std::string::npos) << pcf;
    EXPECT_EQ(pcf.find("taskloop __kmp"), std::string::npos) << pcf;
    EXPECT_EQ(pcf.find("task GOMP"), std::string::npos) << pcf;
    EXPECT_EQ(pcf.find("taskloop GOMP"), std::string::npos) << pcf;
}

// A runtime that drops what is cancelled does not end each construct.
TEST_P(OpenMpConstructs, CancelledConstructsAreClosed) {
    Finished done = traced_openmp(1, {openmp_program("constructs"), directory(), "cancelled", "loops"}, {},
                                  {"OMP_CANCELLATION=true"});
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
}

// omp_pause_resource_all: the runtime ends its threads, and begins again. libomp then tells tools no more.
TEST_P(OpenMpConstructs, ARuntimeMayBeginAgain) {
    Finished done = traced_openmp(1, {openmp_program("constructs"), directory(), "paused", "loops"});
    ASSERT_EQ(done.status, 0) << done.err;
    expect_strictly_emulates();
    EXPECT_GE(counts_of_rank(0)["PR["], 2 * 3) << "the regions before";
}

TEST_P(OpenMpConstructs, TeamsMayHaveManySizesAndLevels) {
    for (const char* threads : {"1", "2", "7"}) {
        Finished done =
            traced_openmp(1, {openmp_program("constructs"), directory(), "nested", "changing", "others"},
                          {"--append"}, {std::string("OMP_NUM_THREADS=") + threads, "OVNI_RUN=one"});
        ASSERT_EQ(done.status, 0) << done.err;
    }
    expect_strictly_emulates();
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OpenMpConstructs,
                         ::testing::Values(Runtime::libgomp, Runtime::libomp_for_gcc, Runtime::libomp),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ovni::test
