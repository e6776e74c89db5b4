// Programs that hang: what their traces say of it after they were killed, and while they hang.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <csignal>
#include <ctime>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.hpp"
#include "tests/mpi/ending_jobs.hpp"

namespace ovni::test {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

class Deadlock : public JobEnds {
 protected:
    static constexpr int64_t second = 1'000'000'000;

    static Words hanging(const std::string& kind, int ranks) {
        return {"mpirun", "-q", "-n", std::to_string(ranks), program("ovnirun"), app("deadlock"), kind};
    }
    static int64_t now() {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * second + now.tv_nsec;
    }
    static void wait_until_it_hangs(Started& job, int ranks) {
        for (int i = 0; i < ranks; ++i) job.line();
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    // An mpirun that is told to end may hang at its own end, after its processes are gone.
    void kill(Started& job) {
        before_kill_ = now();
        job.send(SIGTERM);
        recover();
        after_kill_ = now();
        job.send(SIGKILL);
        job.wait();
    }
    void hang_and_kill(const std::string& kind, int ranks = 2) {
        Started job(hanging(kind, ranks));
        wait_until_it_hangs(job, ranks);
        kill(job);
    }
    // The sentences of other things are left out.
    static Words sentences_in(const std::string& text) {
        Words found;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);)
            for (const std::string begin : {"WARN: deadlock: ", "WARN: rank"})
                if (size_t at = line.find(begin); at != line.npos)
                    found.push_back(line.substr(at + strlen("WARN: ")));
        return found;
    }
    Finished emulate(const Words& emulator = {program("ovniemu")}, const Words& options = {}) const {
        Finished done = run(emulator + options + Words{trace_directory()});
        EXPECT_EQ(done.status, 0) << done.err;
        return done;
    }
    Json report() const {
        emulate({program("ovniemu")}, {"--report", path("report.json")});
        return Json::parse(read_file(path("report.json")));
    }
    int64_t origin() const {
        int64_t first = INT64_MAX;
        for (uint32_t s = 0; s < streams().size(); ++s)
            first = std::min(first, events_of(trace(), s)[0].clock);
        return first;
    }
    // Expects the end of a state that lasts until the program died, in ns since the first event.
    void expect_end_of_program(int64_t end) const {
        EXPECT_GE(end + origin(), before_kill_);
        EXPECT_LE(end + origin(), after_kill_);
    }
    // Records of a type in a PRV file: row, time, value.
    struct Record {
        int64_t row, time, value;
    };
    std::vector<Record> records(const std::string& file, int64_t type) const {
        std::istringstream lines(read_file(trace_directory() + "/" + file));
        std::vector<Record> all;
        std::string line;
        for (std::getline(lines, line); std::getline(lines, line);) {
            std::replace(line.begin(), line.end(), ':', ' ');
            std::istringstream fields(line);
            int64_t kind, cpu, application, task, row, time, of_type, value;
            fields >> kind >> cpu >> application >> task >> row >> time >> of_type >> value;
            if (of_type == type) all.push_back({row, time, value});
        }
        return all;
    }

    int64_t before_kill_ = 0, after_kill_ = 0;
};

TEST_F(Deadlock, LastsUntilTheProgramDied) {
    constexpr int64_t mpi_function = 25;
    hang_and_kill("receives");
    const Json report = this->report();
    ASSERT_EQ(report["waiting"].size(), 2u);
    for (const Json& call : report["waiting"]) {
        EXPECT_EQ(call["function"], "MPI_Recv");
        EXPECT_EQ(call["needs"], Json::array({1 - call["rank"].get<int>()}));
        EXPECT_EQ(call["for"], "rank " + std::to_string(1 - call["rank"].get<int>()) + ", tag 7");
        expect_end_of_program(call["until"]);
        EXPECT_GT(call["until"].get<int64_t>() - call["since"].get<int64_t>(), second * 9 / 10);
    }
    EXPECT_EQ(report["deadlocks"], Json::array({Json::array({0, 1})}));
    ASSERT_EQ(report["ended_by_force"].size(), 2u);
    for (const Json& end : report["ended_by_force"]) {
        // mpirun may kill ovnirun, too, and then ovnirecover ends the stream.
        EXPECT_TRUE(end["by"] == "signal" || end["by"] == "recovered") << end["by"];
        expect_end_of_program(end["clock"].get<int64_t>() - origin());
    }
    for (const Json& process : report["processes"])
        for (const Json& function : process["mpi"]) {
            if (function["function"] != "MPI_Recv") continue;
            EXPECT_GT(function["ns"].get<int64_t>(), second * 9 / 10);
            EXPECT_LE(function["ns"].get<int64_t>(), after_kill_ - origin());
        }

    std::map<int64_t, Record> last;
    for (const Record& record : records("thread.prv", mpi_function)) last[record.row] = record;
    EXPECT_EQ(last.size(), 2u);
    for (const auto& [row, record] : last) {
        EXPECT_EQ(record.value, 0) << row;
        expect_end_of_program(record.time);
    }

    const Finished top = run({program("ovnitop"), "--mpi", trace_directory()});
    EXPECT_EQ(top.status, 0) << top.err;
    EXPECT_THAT(top.out, HasSubstr("MPI_Recv"));
}

// Ranks agree on their CPUs at the end of MPI_Init, and each of these is bound to another one.
TEST_F(Deadlock, ADeadlockInMpiInitIsReported) {
    const std::string bound = script("exec taskset -c $((OMPI_COMM_WORLD_RANK % $(nproc))) \"$@\"\n");
    Started job(
        {"mpirun", "-q", "-n", "3", "--bind-to", "none", bound, program("ovnirun"), app("deadlock"), "init"});
    wait_until_it_hangs(job, 3);
    EXPECT_THAT(run({program("ovnirecover"), "--write-out", "--all", "--yes"}).err,
                HasSubstr("1 streams are not on disk before MPI_Init ends"));
    kill(job);
    emulate();
    const Json report = this->report();
    ASSERT_EQ(report["waiting"].size(), 2u) << report["waiting"];
    for (int rank : {0, 1}) {
        const Json& call = report["waiting"][static_cast<size_t>(rank)];
        EXPECT_EQ(call["rank"], rank);
        EXPECT_EQ(call["function"], "MPI_Init");
        expect_end_of_program(call["until"]);
    }
}

struct Kind {
    const char* name;
    int ranks;
    std::vector<const char*> sentences;  // of the emulator, as expressions

    friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
};

class DeadlockOfAKind : public Deadlock, public testing::WithParamInterface<Kind> {};

TEST_P(DeadlockOfAKind, WaitingRanksAndTheirCallsAreNamed) {
    const Kind& kind = GetParam();
    hang_and_kill(kind.name, kind.ranks);
    const Words found = sentences_in(emulate().err);
    ASSERT_EQ(found.size(), kind.sentences.size()) << testing::PrintToString(found);
    for (size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], ContainsRegex(kind.sentences[i]));

    Finished asked = run({program("ovnitop"), "--waiting", trace_directory()});
    EXPECT_EQ(asked.status, 0) << asked.err;
    std::string all;
    for (const std::string& sentence : found) all += sentence + "\n";
    EXPECT_EQ(asked.out, all);
}

INSTANTIATE_TEST_SUITE_P(
    Of, DeadlockOfAKind,
    testing::Values(
        Kind{"receives",
             2,
             {"^deadlock: rank 0 waits in MPI_Recv for rank 1, tag 7, for [0-9.]+ s; "
              "rank 1 waits in MPI_Recv for rank 0, tag 7, for [0-9.]+ s$"}},
        Kind{"barrier",
             3,
             {"^ranks 0-1 wait in MPI_Barrier for rank 2, which has not entered it, for [0-9.to ]+ s$"}},
        Kind{"tag",
             2,
             {"^deadlock: rank 0 waits in MPI_Barrier for rank 1, which has not entered it, for [0-9.]+ s; "
              "rank 1 waits in MPI_Recv for rank 0, tag 2, for [0-9.]+ s$"}},
        Kind{"send",
             2,
             {"^deadlock: rank 0 waits in MPI_Barrier for rank 1, which has not entered it, communicator "
              "'halo', for [0-9.]+ s; rank 1 waits in MPI_Waitall for rank 0, tag 0, communicator 'halo' and "
              "2 more, for [0-9.]+ s$"}},
        Kind{"split",
             3,
             {"^deadlock: rank 0 waits in MPI_Recv for rank 2, tag 5, for [0-9.]+ s; rank 2 waits in "
              "MPI_Barrier for rank 0, which has not entered it, communicator [0-9a-f]+, for [0-9.]+ s$",
              "^rank 1 waits in MPI_Barrier for ranks 0, 2, which have not entered it, for [0-9.]+ s$"}},
        Kind{"finalize",
             2,
             {"^deadlock: rank 0 waits in MPI_Finalize for rank 1, which has not entered it, for [0-9.]+ s; "
              "rank 1 waits in MPI_Recv for rank 0, tag 3, for [0-9.]+ s$"}},
        Kind{"other",
             3,
             {"^deadlock: rank 0 waits in MPI_Barrier for rank 2, which has come to MPI_Allreduce instead, "
              "for "
              "[0-9.]+ s; rank 2 waits in MPI_Allreduce for ranks 0-1, which have come to MPI_Barrier "
              "instead, for "
              "[0-9.]+ s$",
              "^rank 1 waits in MPI_Barrier for rank 2, which has come to MPI_Allreduce instead, for [0-9.]+ "
              "s$"}},
        Kind{"any",
             2,
             {"^rank 0 waits in MPI_Barrier for rank 1, which has not entered it, for [0-9.]+ s$",
              "^rank 1 waits in MPI_Recv for any rank, any tag, for [0-9.]+ s$"}}),
    [](const auto& of) { return std::string(of.param.name); });

// The receiver was killed before it asked for the message: nothing of it was lost.
TEST_F(Deadlock, LeavesMessagesWithoutPartners) {
    hang_and_kill("tag");
    const Finished top = run({program("ovnitop"), "--messages", trace_directory()});
    EXPECT_THAT(top.out, HasSubstr("sends without a receive: killed or running 1\n"));
}

TEST_F(Deadlock, AnyNumberOfRanksReportsTheSameDeadlock) {
    hang_and_kill("split", 3);
    const Words expected = sentences_in(emulate().err);
    EXPECT_FALSE(expected.empty());
    const Json report = this->report();
    for (const char* ranks : {"1", "3"}) {
        const Finished done = emulate({"mpirun", "-q", "-n", ranks, program("ovniemu-mpi")},
                                      {"-o", path("out"), "--report", path("distributed.json")});
        EXPECT_EQ(sentences_in(done.err), expected) << ranks;
        const Json distributed = Json::parse(read_file(path("distributed.json")));
        for (const char* member : {"waiting", "deadlocks", "ended_by_force"})
            EXPECT_EQ(distributed[member], report[member]) << ranks;
    }
}

TEST_F(Deadlock, ADeadlockIsReportedWhileItHangs) {
    Started job(hanging("receives", 2));
    wait_until_it_hangs(job, 2);
    Words command;
    for (const char* tool : {"ovnitop", "ovnidump", "ovniemu"}) {
        const Finished early = run({program(tool), trace_directory()});
        EXPECT_EQ(early.status, 1) << early.err;
        const size_t begin = early.err.find("ovnirecover --write-out " + path(""));
        ASSERT_NE(begin, std::string::npos) << tool << early.err;
        std::istringstream words(early.err.substr(begin, early.err.find('\n', begin) - begin));
        command.assign(std::istream_iterator<std::string>(words), {});
    }
    command[0] = program("ovnirecover");
    const int64_t before = now();
    const Finished written = run(command);
    EXPECT_EQ(written.status, 0) << written.err;
    const int64_t after = now();
    const Finished done = emulate();
    EXPECT_THAT(done.err, HasSubstr("2 of 2 streams are of a program that is running still"));
    ASSERT_EQ(sentences_in(done.err).size(), 1u) << done.err;
    EXPECT_THAT(sentences_in(done.err)[0], HasSubstr("deadlock: rank 0 waits in MPI_Recv for rank 1, tag 7"));
    EXPECT_THAT(read_file(trace_directory() + "/thread.row"), HasSubstr("(running)"));
    for (const Json& call : report()["waiting"]) {
        EXPECT_GE(call["until"].get<int64_t>() + origin(), before);
        EXPECT_LE(call["until"].get<int64_t>() + origin(), after);
    }
    const Finished top = run({program("ovnitop"), "--waiting", trace_directory()});
    EXPECT_THAT(top.out, HasSubstr("deadlock: rank 0 waits in MPI_Recv for rank 1, tag 7"));

    kill(job);
    const Finished at_end = emulate();
    EXPECT_THAT(at_end.err, Not(HasSubstr("running")));
    EXPECT_THAT(read_file(trace_directory() + "/thread.row"), Not(HasSubstr("(running)")));
    for (const Json& call : report()["waiting"]) expect_end_of_program(call["until"]);
}

TEST_F(Deadlock, AnotherJobInItsDirectoryIsWarned) {
    Started job(hanging("receives", 2));
    wait_until_it_hangs(job, 2);
    const Words program_of_job{app("heat"), "20", "20", "10"};
    const std::string warning =
        "writes to " + trace_directory() + " now, too: name another directory with -o";
    for (const std::string& directory : {trace_directory(), path("other")}) {
        const Finished other = mpirun(2, Words{program("ovnirun"), "-o", directory} + program_of_job);
        EXPECT_EQ(other.status, 0) << other.err;
        const size_t told = other.err.find(warning);
        EXPECT_EQ(told != other.err.npos, directory == trace_directory()) << other.err;
        EXPECT_EQ(other.err.find(warning, told + 1), other.err.npos) << other.err;
    }
    EXPECT_EQ(run({program("ovnirun"), "true"}, {"OVNI_APPEND=1"}).err.find(warning), std::string::npos);
    kill(job);
}

// The stream itself is written out: nothing is lost, and nothing stands twice.
TEST_F(Deadlock, ALookAtARunningProgramChangesNothing) {
    Started job({"mpirun", "-q", "-n", "2", program("ovnirun"), app("heat"), "20", "20", "20000"});
    auto runs = [&] {
        siginfo_t none{};
        return ::waitid(P_PID, static_cast<id_t>(job.pid()), &none, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               none.si_pid == 0;
    };
    size_t looks = 0;
    while (runs())
        if (run({program("ovnirecover"), "--write-out", "--all", "--yes"}).status == 0) ++looks;
    EXPECT_EQ(job.wait(), 0);
    EXPECT_GT(looks, 0u);
    recover();
    expect_emulates();
    for (const Stream& stream : streams()) EXPECT_FALSE(stream.metadata.end);
    for (uint32_t s = 0; s < 2; ++s) {
        std::map<std::string, int> counts = counts_of(trace(), s);
        EXPECT_EQ(counts["OHx"], 1);
        EXPECT_EQ(counts["OHe"], 1);
    }
}

}  // namespace ovni::test
