// Waits and efficiencies of a program that is late by known times, and is recorded once.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

class Waits : public TracedTest {
 protected:
    static constexpr int ranks = 4;

    Waits() { prepare_for_mpirun(); }
    void run_planted(const std::string& job = "planted") {
        const Finished& done = traced_once(job, ranks, {app("planted_waits")});
        ASSERT_EQ(done.status, 0) << done.err;
        std::istringstream lines(done.out);
        std::string name;
        int rank = 0;
        for (int64_t came = 0, left = 0; lines >> name >> rank >> came >> left;)
            came_[name][rank] = came, left_[name][rank] = left;
        Finished emulated = run({program("ovniemu"), "--report", path("report.json"), trace_directory()});
        ASSERT_EQ(emulated.status, 0) << emulated.err;
        printed_ = emulated.err;
        report_ = Json::parse(read_file(path("report.json")));
    }
    // ns by which one rank came later than the other.
    double late_by(const std::string& name, int late, int early) {
        return static_cast<double>(came_[name][late] - came_[name][early]);
    }
    int rank_of(const Json& process) const { return report_["processes"][process.get<size_t>()]["rank"]; }
    // The sum of waits of that kind and function, of one rank for another.
    double waited(const std::string& kind, const std::string& function, int rank, int cause) const {
        double ns = 0;
        for (const Json& sum : report_["waits"]["sums"])
            if (sum["wait"] == kind && sum["function"] == function && rank_of(sum["process"]) == rank &&
                !sum["cause"].is_null() && rank_of(sum["cause"]) == cause)
                ns += sum["ns"].get<double>();
        return ns;
    }
    void expect_planted();
    void expect_wait(const std::string& name, const std::string& kind, const std::string& function, int rank,
                     int cause) {
        const double late = late_by(name, cause, rank), found = waited(kind, function, rank, cause);
        constexpr double least = 250e6, fraction = 0.02;
        EXPECT_GT(late, least) << name;
        if (std::abs(found - late) > fraction * late)
            unlike_ << name << ", rank " << rank << ": " << found << " instead of " << late << " ns\n";
    }

    static Finished run_pop(const Words& words) { return run(Words{program("ovnitop"), "--pop"} + words); }

    std::map<std::string, std::map<int, int64_t>> came_, left_;
    Json report_;
    std::string printed_;
    std::ostringstream unlike_;  // waits that differ from what was planted
};

// The system may take a CPU away from a rank between its clock and its call.
TEST_F(Waits, PlantedWaitsAreFound) {
    for (const char* job : {"planted", "planted again", "planted a last time"}) {
        unlike_.str("");
        run_planted(job);
        expect_planted();
        if (unlike_.str().empty()) return;
    }
    ADD_FAILURE() << "each time, at last: " << unlike_.str();
}

void Waits::expect_planted() {
    expect_wait("late_sender", "Late sender", "MPI_Recv", 0, 1);
    expect_wait("late_sender_wait", "Late sender", "MPI_Wait", 0, 1);
    expect_wait("late_receiver", "Late receiver", "MPI_Ssend", 0, 1);
    for (int rank : {0, 1, 3}) {
        expect_wait("n_to_n", "Wait at n to n", "MPI_Allreduce", rank, 2);
        expect_wait("non_blocking", "Wait at n to n", "MPI_Waitall", rank, 2);
    }
    for (int rank : {1, 2, 3}) {
        expect_wait("late_broadcast", "Late broadcast", "MPI_Bcast", rank, 0);
        expect_wait("early_scan", "Early scan", "MPI_Scan", rank, 0);
    }
    expect_wait("early_reduce", "Early reduce", "MPI_Reduce", 0, 2);
    expect_wait("wrong_order", "Late sender, wrong order", "MPI_Recv", 0, 1);
    for (int rank : {0, 1, 3}) expect_wait("fence", "Wait at fence", "MPI_Win_fence", rank, 2);
    for (int rank : {0, 2})
        expect_wait("neighbours", "Wait for neighbours, at most", "MPI_Neighbor_allgather", rank, 3);
    expect_wait("chain", "Late sender", "MPI_Recv", 1, 2);
    // Rank 1 takes its own time to pass on what comes late.
    const double of_chain = waited("Late sender", "MPI_Waitany", 0, 1);
    if (of_chain <= 0.98 * late_by("chain", 2, 0)) unlike_ << "chain: only " << of_chain << " ns\n";
    EXPECT_LE(of_chain, static_cast<double>(left_["chain"][0] - came_["chain"][0]));
    for (int rank : {0, 1}) expect_wait("partial", "Wait at n to n", "MPI_Wait", rank, 2);
    for (int rank : {0, 1, 2}) expect_wait("finalize", "Wait at start or end", "MPI_Finalize", rank, 3);
}

// The call of the late one is among the ends that are printed.
TEST_F(Waits, OvnidumpFollowsAWaitToTheLateCall) {
    run_planted();
    std::set<std::string> kinds;
    size_t number = 0;
    for (const Json& wait : report_["waits"]["longest"]) {
        const std::string kind = wait["wait"];
        ++number;
        if (!kinds.insert(kind).second) continue;
        const Finished done = run({program("ovnidump"), "--wait", std::to_string(number), trace_directory()});
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(done.out, StartsWith("wait " + std::to_string(number) + ": " + kind + ", "));
        const size_t at = done.out.find("  cause       ");
        ASSERT_NE(at, std::string::npos) << done.out;
        const std::string cause = done.out.substr(at + 14, done.out.find('\n', at) - at - 14);
        if (kind != "Completion of a collective") {
            EXPECT_NE(done.out.find(cause, at + 20), std::string::npos) << done.out;
        }
    }
    EXPECT_GE(kinds.size(), 10u);
    const Finished none = run({program("ovnidump"), "--wait", "1000", trace_directory()});
    EXPECT_EQ(none.status, 1);
    EXPECT_THAT(none.err, HasSubstr("there is no wait 1000: 100 are listed"));
}

// Rank 3 gets nothing from the one who is late, and rank 1 has no late neighbour.
TEST_F(Waits, NoWaitIsFoundWhereNobodyWaited) {
    run_planted();
    constexpr double most = 100e6;
    EXPECT_LT(waited("Wait at n to n", "MPI_Wait", 3, 2), most);
    EXPECT_LT(waited("Wait for neighbours, at most", "MPI_Neighbor_allgather", 1, 3), most);
}

// Almost all tests of rank 0 fail, a pause after each.
TEST_F(Waits, FailedTestsCountTheTimeInThem) {
    run_planted();
    double in_tests = 0;
    for (const Json& process : report_["processes"])
        for (const Json& function : process["mpi"])
            if (process["rank"] == 0 && function["function"] == "MPI_Test") in_tests = function["ns"];
    const double waited_in_them = waited("Failed tests", "MPI_Test", 0, 1);
    EXPECT_LE(waited_in_them, in_tests);
    EXPECT_GT(waited_in_them, in_tests / 2);
}

// In each case the late ranks were in a region, outside of MPI.
TEST_F(Waits, DelaysAreDueToThoseWhoAreLate) {
    run_planted();
    std::map<int, double> short_term, long_term;
    for (const Json& delay : report_["waits"]["delays"]) {
        if (delay["region"] != "late") continue;
        EXPECT_TRUE(delay["function"].is_null() || delay["function"] == "MPI_Pcontrol") << delay;
        short_term[rank_of(delay["process"])] += delay["short_term"].get<double>() * 1e-9;
        long_term[rank_of(delay["process"])] += delay["long_term"].get<double>() * 1e-9;
    }
    // One rank waits for rank 1 in 4 cases; the others of a collective wait for rank 2 in 4, and one in 2.
    // Two of them wait for rank 3 in a ring, and all in MPI_Finalize.
    constexpr double late = 0.3, most_of = 0.8;  // on a busy machine
    EXPECT_GT(short_term[1], most_of * 4 * late);
    EXPECT_GT(short_term[2], most_of * (3 + 1 + 3 + 3 + 2 + 1) * late);
    EXPECT_GT(short_term[0], most_of * 2 * 3 * late);
    EXPECT_GT(short_term[3], most_of * (2 + 3) * late);
    // In the chain rank 0 waits for rank 1, which had to wait for rank 2.
    EXPECT_GT(long_term[2], most_of * late);
    EXPECT_THAT(run({program("ovnitop"), "--waits", trace_directory()}).out,
                ContainsRegex(
                    "short-term +long-term +% +delay of +in +region +called by\n +[0-9.]+ +[0-9.]+ +[0-9.]+  "
                    "rank 2 +the program +late\n"));
}

TEST_F(Waits, WaitsOnOneNodeAreCertain) {
    run_planted();
    for (const Json& sum : report_["waits"]["sums"]) EXPECT_EQ(sum["certain"], sum["ns"]);
    EXPECT_EQ(report_["collectives"]["incomplete"], 0);
    EXPECT_EQ(report_["collectives"]["unlike"], 0);
    EXPECT_EQ(report_["waits"]["longest"].size(), 100u);
}

TEST_F(Waits, AnyNumberOfRanksWritesTheSameWaits) {
    Finished done = traced(ranks, {app("planted_waits")}, {"--loom", "rank"});
    ASSERT_EQ(done.status, 0) << done.err;
    const std::string alone = path("threads1");
    const auto emulate = [&](const Workers& workers) {
        const std::string out = path(workers.name()), report = out + ".json";
        done = emulated(workers, {"--report", report, "-o", out});
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_TRUE(read_file(out + "/thread.prv") == read_file(alone + "/thread.prv")) << out;
        const Json mine = Json::parse(read_file(report)), first = Json::parse(read_file(alone + ".json"));
        for (const char* part : {"messages", "collectives", "waits", "efficiencies", "critical_path"})
            EXPECT_EQ(mine[part], first[part]) << out;
    };
    emulate({1, Workers::Kind::threads});
    for (const Workers& workers : every_sharing) emulate(workers);
    EXPECT_THAT(read_file(alone + "/thread.pcf"), HasSubstr("MPI wait state"));
    EXPECT_THAT(read_file(alone + "/thread.prv"), ContainsRegex("\n2:0:1:1:[0-9]+:[0-9]+:320:1\n"));
    Finished waits = run({program("ovnitop"), "--waits", trace_directory()});
    EXPECT_EQ(waits.status, 0) << waits.err;
    EXPECT_THAT(waits.out, ContainsRegex("Late sender +MPI_Recv"));
    EXPECT_THAT(waits.out, ContainsRegex("rank 0 +rank 1"));
}

// The run hangs on those who are late: each time 0.3 s.
TEST_F(Waits, LeaveTheCriticalPathToThoseWhoAreLate) {
    run_planted();
    std::map<int, double> seconds;
    double outside = 0, all = 0;
    for (const Json& sum : report_["critical_path"]["sums"]) {
        const double time = sum["ns"].get<double>() * 1e-9;
        if (sum["region"] == "late") seconds[rank_of(sum["process"])] += time;
        all += time;
        if (sum["function"].is_null()) outside += time;
    }
    constexpr double late = 0.3, tolerance = 0.1;
    EXPECT_NEAR(seconds[0], 2 * late, tolerance);
    EXPECT_NEAR(seconds[1], 5 * late, tolerance);
    EXPECT_NEAR(seconds[2], 6 * late, tolerance);
    EXPECT_NEAR(seconds[3], 2 * late, tolerance);
    EXPECT_NEAR(all * 1e9, report_["efficiencies"]["all"][0]["runtime"].get<double>(), tolerance * 1e9);
    EXPECT_GT(outside / all, 1 - tolerance);
    EXPECT_THAT(printed_, HasSubstr("critical path, by what runs: outside of MPI 9"));
    EXPECT_THAT(read_file(trace_directory() + "/thread.prv"), ContainsRegex(":321:1\n"));
}

// One rank sleeps, which counts as computing, while the others wait: their load is not balanced.
TEST_F(Waits, EfficienciesTellOfThePlantedWaits) {
    run_planted();
    const Json run = report_["efficiencies"]["all"][0];
    EXPECT_EQ(run["processes"], ranks);
    const double runtime = run["runtime"], ideal = run["ideal_runtime"], useful = run["useful"],
                 longest = run["longest_useful"];
    EXPECT_LE(longest, ideal);
    EXPECT_LE(ideal, runtime);
    EXPECT_DOUBLE_EQ(run["parallel_efficiency"], useful / ranks / runtime);
    EXPECT_DOUBLE_EQ(run["load_balance"], useful / ranks / longest);
    EXPECT_DOUBLE_EQ(run["serialisation_efficiency"], longest / ideal);
    // 15 times 0.3 s one after the other, 6 of them of rank 2. Rank 0 sleeps between tests meanwhile.
    constexpr double late = 0.3e9, tolerance = 0.1;
    EXPECT_NEAR(longest / late, 6, tolerance * 6);
    EXPECT_NEAR(ideal / late, 15, tolerance * 15);
    EXPECT_EQ(run["busiest"], 2);
    EXPECT_THAT(printed_, HasSubstr("serialisation efficiency is 0.4"));
    ASSERT_EQ(run_pop({trace_directory()}).status, 0);
    Finished reports = run_pop({path("report.json"), path("report.json")});
    EXPECT_EQ(reports.status, 0) << reports.err;
    EXPECT_THAT(reports.out, ContainsRegex("computation scaling +1.000 +1.000"));
    EXPECT_EQ(run_pop({path("nothing.json")}).status, 1);
    EXPECT_EQ(run_pop({}).status, 2);
}

}  // namespace ovni::test
