// Every call that waits for other ranks has its wait: a program in which rank 1 is late at each, under both
// MPIs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

using testing::HasSubstr;
using testing::IsEmpty;
using Json = nlohmann::json;

class LateMembers : public TracedTest {
 protected:
    static constexpr int ranks = 3, late = 1;
    struct Visit {
        double came = 0, left = 0;
    };

    LateMembers() { prepare_for_mpirun(); }
    void run_late(const std::string& job) {
        const Finished& done = traced_once(job, ranks, {app("late_members"), path("late_members.file")});
        ASSERT_EQ(done.status, 0) << done.err;
        std::istringstream lines(done.out);
        std::string function;
        int rank = 0;
        for (Visit visit; lines >> function >> rank >> visit.came >> visit.left;)
            visits_[function][rank] = visit;
        ASSERT_EQ(visits_.size(), has_ports() ? 24u : 23u);
        Finished emulated = run({program("ovniemu"), "--report", path("report.json"), trace_directory()});
        ASSERT_EQ(emulated.status, 0) << emulated.err;
        report_ = Json::parse(read_file(path("report.json")));
    }
    int rank_of(const Json& process) const { return report_["processes"][process.get<size_t>()]["rank"]; }
    bool has_ports() const { return visits_.contains("MPI_Comm_connect"); }
    // Win_start leaves the wait to Win_complete if it likes.
    static bool is_of(const std::string& function, const Json& wait) {
        return wait["function"] == function ||
               (function == "MPI_Comm_connect" && wait["function"] == "MPI_Comm_accept") ||
               (function == "MPI_Win_start" && wait["function"] == "MPI_Win_complete");
    }
    // The longest wait of the rank for the late one in that function, in ns: others of the function were not
    // planted. Failed tests have the time in them alone, which the sums have.
    double waited(const std::string& function, int rank) const {
        const bool is_summed = function == "MPI_Iprobe";
        double ns = 0;
        for (const Json& wait : report_["waits"][is_summed ? "sums" : "longest"]) {
            if (!is_of(function, wait) || rank_of(wait["process"]) != rank || wait["cause"].is_null() ||
                rank_of(wait["cause"]) != late)
                continue;
            ns = std::max(ns, is_summed ? wait["ns"].get<double>()
                                        : wait["to"].get<double>() - wait["from"].get<double>());
        }
        return ns;
    }
    // Rank 0 alone waits.
    static bool is_for_one(const std::string& function) {
        return function.ends_with("robe") || function == "MPI_Win_start" || function == "MPI_Win_wait";
    }
    // The waits that differ from what the program measured, by function and rank.
    std::map<std::string, std::string> unlike() const {
        std::map<std::string, std::string> all;
        for (const auto& [function, visits] : visits_)
            for (const auto& [rank, visit] : visits) {
                if (rank == late || (rank != 0 && is_for_one(function))) continue;
                const double behind = visits.at(late).came - visit.came, lasted = visit.left - visit.came,
                             found = waited(function, rank);
                constexpr double almost = 0.9, tolerance = 4e6;
                // The system may run others between the tests of a loop, which are short.
                const double least = function == "MPI_Iprobe" ? behind / 2 : behind - tolerance;
                const bool has_waited = lasted > almost * behind;
                const bool is_right =
                    has_waited ? found >= least && found <= behind + tolerance : found <= lasted + tolerance;
                if (!is_right)
                    all[fmt::format("{}, rank {}", function, rank)] =
                        fmt::format("{} of {} ns", found, behind);
            }
        return all;
    }

    std::map<std::string, std::map<int, Visit>> visits_;
    Json report_;
};

// The system may take a CPU away from a rank between its clock and its call: a wait is wrong if it differs in
// each of three runs.
TEST_F(LateMembers, EachCallHasItsWaitForTheLateRank) {
    run_late("late");
    std::map<std::string, std::string> wrong = unlike();
    for (const char* job : {"late again", "late a last time"}) {
        if (wrong.empty()) break;
        run_late(job);
        const std::map<std::string, std::string> now = unlike();
        std::erase_if(wrong, [&](const auto& wait) { return !now.contains(wait.first); });
    }
    EXPECT_THAT(wrong, IsEmpty());
}

// "main late_members.cpp:12, ...": the line of the source.
std::string source_of(const std::string& called_by) {
    static const std::regex place(R"(late_members\.cpp:(\d+))");
    std::smatch match;
    if (!std::regex_search(called_by, match, place)) return "";
    std::ifstream source(SOURCE_DIR "/tests/apps/late_members.cpp");
    std::string line;
    for (int number = std::stoi(match[1]); number > 0; --number) std::getline(source, line);
    return line;
}

TEST_F(LateMembers, WaitsAndTheCriticalPathNameTheLinesOfTheirCalls) {
    run_late("late");
    size_t named = 0;
    for (const char* list : {"sums", "longest"})
        for (const Json& wait : report_["waits"][list]) {
            const std::string function = wait["function"];
            // They border the time whose calls are kept.
            if (function == "MPI_Init" || function == "MPI_Finalize") continue;
            EXPECT_THAT(source_of(wait["called_by"]), HasSubstr(function)) << wait;
            ++named;
        }
    EXPECT_GT(named, 2 * visits_.size());
    for (const Json& sum : report_["critical_path"]["sums"])
        if (sum["function"].is_null())
            EXPECT_TRUE(sum["called_by"].is_null());
        else
            EXPECT_THAT(source_of(sum["called_by"]), HasSubstr(sum["function"].get<std::string>())) << sum;
}

TEST_F(LateMembers, DelaysAreThoseOfTheLateRank) {
    run_late("late");
    double of_late = 0, all = 0;
    for (const Json& delay : report_["waits"]["delays"]) {
        const double ns = delay["short_term"];
        all += ns;
        if (rank_of(delay["process"]) == late && delay["function"].is_null()) of_late += ns;
    }
    EXPECT_GT(of_late, all / 2);
    // At least 18 calls, in all but two of which two ranks wait, and five in which one waits.
    constexpr double late_by = 50e6;
    EXPECT_GT(of_late, 0.8 * ((has_ports() ? 17 : 16) * 2 + 5) * late_by);
}

}  // namespace ovni::test
