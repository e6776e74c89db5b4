// A row for every thread of a program, from its creation to its end, whatever it calls.
#include <unistd.h>

#include <ctime>
#include <limits>

#include "base/file.hpp"
#include "tests/threads/rows_test.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;
using testing::UnorderedElementsAre;

TEST_F(Rows, AProgramWithoutMpiHasRows) {
    ASSERT_EQ(traced({}, target("at_once", "3")).status, 0);
    expect_whole_rows(4);
    const std::vector<Row> found = rows();
    ASSERT_EQ(found.size(), 4u);
    EXPECT_TRUE(found[0].is_main());
    for (const Row& row : found) {
        EXPECT_EQ(row.pid, found[0].pid);
        EXPECT_GE(row.begin, found[0].begin);
        EXPECT_LE(row.end, found[0].end);
        EXPECT_EQ(row.metadata.process->app_id, 1);
        EXPECT_TRUE(row.metadata.common->run);
        EXPECT_FALSE(row.metadata.common->cpus.empty());
        EXPECT_FALSE(row.metadata.process->rank);
        EXPECT_EQ(row.metadata.common->loom, *row.metadata.common->host);
    }
}

TEST_F(Rows, CxxThreadsHaveRows) {
    ASSERT_EQ(traced({}, {BUILD_DIR "/tests/threads_cxx_target"}).status, 0);
    expect_whole_rows(3);
}

TEST_F(Rows, C11ThreadsHaveRows) {
    ASSERT_EQ(traced({}, target("c11")).status, 0);
    expect_whole_rows(2);
}

#ifdef OVNI_TEST_OPENMP
TEST_F(Rows, OpenMpThreadsHaveRows) {
    ASSERT_EQ(traced({}, {BUILD_DIR "/tests/threads_openmp_target"}).status, 0);
    expect_whole_rows(3);
}
#endif

TEST_F(Rows, AThousandThreadsAtOnceHaveRows) {
    ASSERT_EQ(traced({}, target("at_once", "1000")).status, 0);
    expect_whole_rows(1001);
}

TEST_F(Rows, AThousandThreadsOneAfterTheOtherShareARow) {
    ASSERT_EQ(traced({}, target("in_sequence", "1000")).status, 0);
    expect_whole_rows(1001);
    EXPECT_EQ(streams(), 2u) << "they share a row";
}

TEST_F(Rows, ThreadsOneAfterTheOtherShareRowsByName) {
    ASSERT_EQ(traced({}, target("named_in_sequence", "10")).status, 0);
    expect_whole_rows(11);
    EXPECT_EQ(streams(), 3u);
    std::map<std::string, size_t> lives;
    for (const Row& row : rows()) ++lives[row.name];
    EXPECT_THAT(lives, UnorderedElementsAre(Pair("", 1), Pair("second", 5), Pair("by its creator", 5)));
}

TEST_F(Rows, ThereAreAsManyRowsAsThreadsLiveAtOnce) {
    ASSERT_EQ(traced({}, target("teams", "20")).status, 0);
    expect_whole_rows(81);
    EXPECT_EQ(streams(), 5u);
}

TEST_F(Rows, ThreadsOfOneNumberAreOneStream) {
    const int status = traced({}, target("number_again")).status;
    if (status == 77) GTEST_SKIP() << "the number was not given again: that takes root, and a quiet machine";
    ASSERT_EQ(status, 0);
    expect_whole_rows(3);
    EXPECT_EQ(streams(), 2u);
}

TEST_F(Rows, ThreadsWithEventsShareNoRow) {
    ASSERT_EQ(traced({"--pthread", "all"}, target("in_sequence", "5")).status, 0);
    EXPECT_EQ(streams(), 6u);
    expect_accepted();
}

TEST_F(Rows, EndAsTheirThreadsEnd) {
    ASSERT_EQ(traced({}, target("ends")).status, 0);
    expect_whole_rows(6);
}

TEST_F(Rows, AMainThreadThatLeavesBeforeTheOthersHasARow) {
    ASSERT_EQ(traced({}, target("main_leaves")).status, 0);
    expect_whole_rows(2);
}

TEST_F(Rows, RowsHaveTheLastNameOfTheirThreads) {
    ASSERT_EQ(traced({}, target("names")).status, 0);
    std::vector<std::string> names;
    for (const Row& row : rows()) names.push_back(row.name);
    EXPECT_THAT(names, UnorderedElementsAre("", "second", "by its creator", ""));
    expect_accepted();
    const Finished shown = run({"cat", trace() + "/thread.row"});
    EXPECT_THAT(shown.out, HasSubstr(" thread by its creator\n"));
}

TEST_F(Rows, LastToTheDeathOfAKilledProcess) {
    EXPECT_EQ(traced({}, target("killed")).status, 128 + SIGKILL);
    const std::vector<Row> found = rows();
    ASSERT_EQ(found.size(), 3u);
    size_t named = 0;
    for (const Row& row : found) {
        EXPECT_EQ(row.codes, "OHx");
        ASSERT_TRUE(row.metadata.end);
        EXPECT_EQ(*row.metadata.end->by, "signal");
        EXPECT_GT(row.metadata.end->clock.value_or(0), found.back().begin);
        named += row.name == "sleeper" ? 1 : 0;
    }
    EXPECT_EQ(named, 1u);
    EXPECT_EQ(run({program("ovniemu"), trace()}).status, 0);
}

TEST_F(Rows, SharedRowsLastToTheEndOfTheirThreads) {
    EXPECT_EQ(traced({}, target("killed_after", "7")).status, 128 + SIGKILL);
    EXPECT_EQ(streams(), 4u);
    size_t ended = 0;
    for (const Row& row : rows()) {
        ended += row.codes == "OHx OHe" ? 1 : 0;
        EXPECT_EQ(row.metadata.end.has_value(), row.codes == "OHx");
    }
    EXPECT_EQ(ended, 7u);
    EXPECT_EQ(run({program("ovniemu"), trace()}).status, 0);
}

TEST_F(Rows, ChildrenThatDoNotBecomeOtherProgramsHaveRows) {
    ASSERT_EQ(traced({}, target("forks")).status, 0);
    expect_whole_rows(4);
    EXPECT_EQ(by_process(rows()).size(), 3u);
}

TEST_F(Rows, GoOnWhereTheProgramBecomesAnother) {
    ASSERT_EQ(traced({}, target("exec")).status, 0);
    const std::vector<Row> found = rows();
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(std::ranges::count_if(found, &Row::is_main), 2);
    EXPECT_EQ(streams(), 4u) << "the main thread goes on in its row";
    for (const Row& row : found) EXPECT_FALSE(row.metadata.end);
    expect_accepted();
}

TEST_F(Rows, GoOnIfExecFails) {
    ASSERT_EQ(traced({}, target("failed_exec")).status, 0);
    expect_whole_rows(2);
}

// A thread that needed the loader's lock would wait for ever.
TEST_F(Rows, ThreadsThatAConstructorWaitsForHaveRows) {
    const Words command = target("in_loader", BUILD_DIR "/tests/libthreads_in_loader.so");
    Words limited{"timeout", "-s", "KILL", "60"};
    limited.insert(limited.end(), command.begin(), command.end());
    ASSERT_EQ(traced({}, limited).status, 0);
    ASSERT_EQ(rows().size(), 4u);
    expect_accepted();
}

TEST_F(Rows, LeaveNoErrorOfTheLoader) {
    ASSERT_EQ(traced({}, target("loader_errors")).status, 0);
    expect_whole_rows(2);
}

TEST_F(Rows, AScriptHasRowsOfItsShellAndOfCommandsWithThreads) {
    const std::string script = "ls / > /dev/null; " BUILD_DIR "/tests/threads_target at_once 1; true";
    ASSERT_EQ(traced({}, {"sh", "-c", script}).status, 0);
    expect_whole_rows(3);
    EXPECT_EQ(by_process(rows()).size(), 2u);
}

TEST_F(Rows, TheRowOfABoundThreadNamesItsCpu) {
    ASSERT_EQ(traced({"--cpu", "virtual"}, target("bound")).status, 0);
    const std::vector<Row> found = rows();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].cpu, -1);
    EXPECT_GE(found[1].cpu, 0);
    expect_accepted();
}

TEST_F(Rows, BeginOnTheCpuWhereTheirThreadsAreSeen) {
    ASSERT_EQ(traced({}, target("at_once", "1")).status, 0);
    for (const Row& row : rows()) {
        EXPECT_GE(row.cpu, 0);
        EXPECT_LT(row.cpu, static_cast<int>(row.metadata.common->cpus.size()));
    }
}

// A thread has a stream only once it waits, which is after it was named.
TEST_F(Rows, RowsHaveNamesIfOnlyEventsCount) {
    ASSERT_EQ(traced({"--threads", "mpi", "--pthread", "contended"}, target("named_before_waits")).status, 0);
    std::vector<std::string> names;
    for (const Row& row : rows()) names.push_back(row.name);
    EXPECT_THAT(names, UnorderedElementsAre("", "second"));
    expect_accepted();
}

// Their constructors come before ours.
TEST_F(Rows, ThreadsThatLinkedLibrariesMakeInConstructorsHaveRows) {
    ASSERT_EQ(traced({}, {BUILD_DIR "/tests/threads_linked"}).status, 0);
    expect_whole_rows(2);
    EXPECT_EQ(by_process(rows()).size(), 1u);
}

// The name of the library says that they are of MPI.
TEST_F(Rows, ThreadsOfMpiInConstructorsHaveNoRows) {
    ASSERT_EQ(traced({}, {BUILD_DIR "/tests/threads_linked_with_mpi"}).status, 0);
    expect_whole_rows(1);
}

TEST_F(Rows, ThreadsOfMpiInConstructorsHaveRowsOnRequest) {
    ASSERT_EQ(traced({"--threads", "all"}, {BUILD_DIR "/tests/threads_linked_with_mpi"}).status, 0);
    expect_whole_rows(2);
}

TEST_F(Rows, NoRowsAreMadeIfOnlyMpiCounts) {
    const Finished done = traced({"--threads", "mpi"}, target("at_once", "2"));
    ASSERT_EQ(done.status, 0);
    EXPECT_THAT(done.err, HasSubstr("nothing was recorded"));
    EXPECT_THAT(rows(), IsEmpty());
}

// A program without MPI: its waits are events, and its end is in order.
TEST_F(Rows, AnEarlierRunMovesAwayIfOnlyMpiCounts) {
    const Words only_mpi{"--threads", "mpi", "--pthread", "all"};
    for (const Words& earlier : {only_mpi, Words{}}) {
        ASSERT_EQ(traced(earlier, target("at_once", "1")).status, 0);
        const Finished second = traced(only_mpi, target("at_once", "1"));
        EXPECT_THAT(second.err, HasSubstr("the older trace was moved to " + trace()));
        const std::vector<Row> found = rows();
        ASSERT_THAT(found, Not(IsEmpty()));
        EXPECT_TRUE(std::ranges::any_of(found, &Row::is_main));
        for (const Row& row : found) {
            EXPECT_FALSE(row.metadata.end);
            EXPECT_EQ(row.metadata.common->run, found[0].metadata.common->run);
            EXPECT_TRUE(row.metadata.common->run);
            EXPECT_GE(row.cpu, 0);
        }
        expect_accepted();
    }
}

TEST_F(Rows, StayIfTheNextProgramCannotBeStarted) {
    ASSERT_EQ(traced({}, target("at_once", "1")).status, 0);
    for (const Finished& failed : {traced({}, {"./nosuch"}), traced({}, {"nosuch"})}) {
        EXPECT_EQ(failed.status, 127);
        EXPECT_THAT(failed.err, Not(HasSubstr("moved")));
    }
    EXPECT_EQ(traced({}, {"/"}).status, 126);
    expect_whole_rows(2);
}

TEST_F(Rows, AnEarlierRunMovesAway) {
    ASSERT_EQ(traced({}, target("at_once", "1")).status, 0);
    const Finished second = traced({}, target("at_once", "2"));
    EXPECT_THAT(second.err, HasSubstr("the older trace was moved to " + trace() + ".1\n"));
    expect_whole_rows(3);
    EXPECT_EQ(traced({"--append"}, target("at_once", "1")).err, "");
    EXPECT_EQ(rows().size(), 5u);
}

#ifdef OVNI_TEST_MPI
// The date on which the first of them began, as a header has it.
std::string date_of(const std::vector<Row>& rows) {
    std::time_t first = std::numeric_limits<std::time_t>::max();
    for (const Row& row : rows)
        first = std::min(first, std::time_t{row.metadata.common->began.value_or(first)});
    std::tm utc{};
    ::gmtime_r(&first, &utc);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%d/%m/%y at %H:%M", &utc)};
}

TEST_F(Rows, ThreadsOfMpiHaveNoRowsInHybridPrograms) {
    const Finished done = traced({"--cpu", "virtual", "--callsites", "0"},
                                 {BUILD_DIR "/tests/threads_hybrid"}, {"mpirun", "-n", "2"});
    ASSERT_EQ(done.status, 0) << done.err;
    const auto processes = by_process(rows());
    ASSERT_EQ(processes.size(), 2u);
    for (const auto& [pid, found] : processes) {
        ASSERT_EQ(found.size(), 4u);
        size_t named = 0;
        for (const Row& row : found) {
            EXPECT_EQ(row.metadata.process->nranks, 2);
            EXPECT_EQ(row.metadata.common->run, found[0].metadata.common->run);
            EXPECT_EQ(row.metadata.common->loom, found[0].metadata.common->loom);
            EXPECT_EQ(row.metadata.process->rank, found[0].metadata.process->rank);
            named += row.name == "helper" ? 1 : 0;
            if (row.is_main()) continue;
            EXPECT_EQ(row.codes, "OHx OHe");
        }
        EXPECT_EQ(named, 1u);
        EXPECT_TRUE(found[0].is_main());
        EXPECT_THAT(found[0].codes, HasSubstr("OHx MUi"));
    }
    EXPECT_EQ(run({program("ovniemu"), trace()}).status, 0);
}

TEST_F(Rows, RowsAreNamedByRankHostAndThread) {
    const std::time_t before = std::time(nullptr);
    const Finished done = traced({}, {BUILD_DIR "/tests/threads_hybrid"}, {"mpirun", "-n", "2"});
    ASSERT_EQ(done.status, 0) << done.err;
    const std::time_t after = std::time(nullptr);
    std::vector<Row> found = rows();
    ASSERT_EQ(found.size(), 8u);
    std::ranges::sort(found, {},
                      [](const Row& row) { return std::pair(row.metadata.process->rank, row.tid); });
    std::string ours = "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 8\n", of_reference = ours;
    for (const Row& row : found) {
        const std::string number = "TH 1." + std::to_string(row.tid);
        of_reference += number + "\n";
        ours += "rank " + std::to_string(row.metadata.process->rank.value_or(-1)) + " " +
                host_of(row.metadata) + " " + number + (row.name.empty() ? "" : " thread " + row.name) + "\n";
        EXPECT_GE(row.metadata.common->began, before);
        EXPECT_LE(row.metadata.common->began, after);
    }
    EXPECT_THAT(ours, HasSubstr(" thread helper\n"));
    for (const auto& [option, expected] : {std::pair("ranks", ours), std::pair("reference", of_reference)}) {
        const std::string serial = output(option);
        ASSERT_EQ(run({program("ovniemu"), "-o", serial, "--row-names", option, trace()}).status, 0);
        EXPECT_EQ(read_file(serial + "/thread.row"), expected);
        EXPECT_THAT(read_file(serial + "/thread.prv"), StartsWith("#Paraver (" + date_of(found) + "):"));
        EXPECT_THAT(read_file(serial + "/cpu.prv"), StartsWith("#Paraver (" + date_of(found) + "):"));
        for (const char* ranks : {"1", "2", "3"}) {
            const Finished emulated = run({"mpirun", "-n", ranks, program("ovniemu-mpi"), "-o", output(ranks),
                                           "--row-names", option, trace()});
            ASSERT_EQ(emulated.status, 0) << emulated.err;
            EXPECT_EQ(run({"diff", "-r", serial, output(ranks)}).out, "");
        }
    }
}

// MPI_Init gives the CPUs of a loom other numbers.
TEST_F(Rows, ThreadsBeforeMpiInitNameTheirCpus) {
    const Words each_on_its_cpu{
        "mpirun", "-n", "2", "sh", "-c", "exec taskset -c $OMPI_COMM_WORLD_RANK \"$@\"", "sh"};
    if (::sysconf(_SC_NPROCESSORS_ONLN) < 2) GTEST_SKIP() << "there is one CPU alone";
    const Finished done = traced({}, {BUILD_DIR "/tests/threads_hybrid", "3"}, each_on_its_cpu);
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(streams(), 8u) << "the early ones share a row";
    const std::vector<Row> found = rows();
    EXPECT_EQ(found.size(), 12u);
    for (const Row& row : found) {
        const std::vector<CpuId>& cpus = row.metadata.common->cpus;
        const auto cpu = std::ranges::find(cpus, row.cpu, &CpuId::index);
        ASSERT_NE(cpu, cpus.end());
        EXPECT_EQ(cpu->phyid, row.metadata.process->rank);
    }
    expect_accepted();
}

TEST_F(Rows, ThreadsOfTheMpiLibraryHaveRowsOnRequest) {
    ASSERT_EQ(traced({"--threads", "all"}, {BUILD_DIR "/tests/threads_hybrid"}, {"mpirun", "-n", "1"}).status,
              0);
    EXPECT_GT(rows().size(), 4u);
}

TEST_F(Rows, AScriptOfARankLiesNextToItsProgram) {
    const std::string script = BUILD_DIR "/tests/threads_hybrid; true";
    const Finished done = traced({}, {"sh", "-c", script}, {"mpirun", "-n", "2"});
    ASSERT_EQ(done.status, 0) << done.err;
    const std::vector<Row> found = rows();
    EXPECT_EQ(found.size(), 10u);
    for (const Row& row : found) {
        EXPECT_EQ(row.metadata.common->run, found[0].metadata.common->run);
        EXPECT_EQ(row.metadata.common->loom, found[0].metadata.common->loom);
    }
    EXPECT_EQ(run({program("ovniemu"), trace()}).status, 0);
}
#endif

}  // namespace
}  // namespace ovni::test
