// ovnictl, and processes that it talks to.
#include <signal.h>

#include <string_view>

#include "tests/region/service_test.hpp"
#include "tests/support/process.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OvnictlTest : public ServiceTest {
 protected:
    std::unique_ptr<Started> start_rank(const std::string& rank, const std::string& job = "77") {
        return start_host({{"SLURM_PROCID", rank}, {"SLURM_JOB_ID", job}});
    }
    Finished ovnictl(std::vector<std::string> words) const {
        words.insert(words.begin(), program("ovnictl"));
        return run(words, {"OVNI_RUNDIR=" + home().string()});
    }
    // The names of processes without their numbers.
    static std::string plain(std::string text) {
        constexpr std::string_view of = " of ";
        for (size_t at = 0; (at = text.find(of, at)) != text.npos;)
            text.erase(at, text.find_first_not_of("0123456789", at + of.size()) - at);
        return text;
    }
};

TEST_F(OvnictlTest, AllProcessesAreAskedInTheOrderOfRanks) {
    auto ten = start_rank("10"), two = start_rank("2"), zero = start_rank("0");
    Finished done = ovnictl({home(), "stop"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(plain(done.out), "rank 0: ok stop\nrank 2: ok stop\nrank 10: ok stop\n");
    EXPECT_EQ(done.err, "");
}

TEST_F(OvnictlTest, NoTargetMeansAllOfThisUserOnThisNode) {
    auto host = start_rank("3", "job-of-this-test");
    Finished done = ovnictl({"--job", "job-of-this-test", "status"});
    EXPECT_EQ(plain(done.out), "rank 3: ok status\n") << done.err;
}

TEST_F(OvnictlTest, FireIsWhatIsMeantWithoutACommand) {
    auto host = start_rank("1");
    EXPECT_EQ(plain(ovnictl({path()}).out), "rank 1: ok fire\n");
    EXPECT_EQ(plain(ovnictl({path(), "fire", "3"}).out), "rank 1: ok fire 3\n");
}

TEST_F(OvnictlTest, TargetsAreSocketsDirectoriesAndPatterns) {
    auto one = start_rank("1");
    std::string first = path();
    auto two = start_rank("2");
    std::string both = "rank 1: ok status\nrank 2: ok status\n";
    EXPECT_EQ(plain(ovnictl({first, "status"}).out), "rank 1: ok status\n");
    EXPECT_EQ(plain(ovnictl({own_directory(), "status"}).out), both);
    EXPECT_EQ(plain(ovnictl({own_directory() / "ctl.*", "status"}).out), both);
    EXPECT_EQ(plain(ovnictl({first, path(), home(), "status"}).out), both);
}

TEST_F(OvnictlTest, RanksJobsAndProcessesAreChosen) {
    auto zero = start_rank("0"), one = start_rank("1"), five = start_rank("5", "88");
    EXPECT_EQ(plain(ovnictl({home(), "--rank", "1-4,5", "status"}).out),
              "rank 1: ok status\nrank 5: ok status\n");
    EXPECT_EQ(plain(ovnictl({home(), "--job", "77", "status"}).out),
              "rank 0: ok status\nrank 1: ok status\n");
    EXPECT_EQ(plain(ovnictl({home(), "--pid", std::to_string(one->pid()), "status"}).out),
              "rank 1: ok status\n");
    EXPECT_EQ(ovnictl({home(), "--rank", "7", "status"}).status, 1);
}

TEST_F(OvnictlTest, ProcessesOfOneRankAreToldApart) {
    auto one = start_rank("0"), other = start_rank("0");
    std::string out = ovnictl({home(), "stop"}).out;
    for (const auto& host : {&one, &other})
        EXPECT_THAT(out, HasSubstr("rank 0 (process " + std::to_string((*host)->pid()) + "): ok stop"));
}

TEST_F(OvnictlTest, EachLineSaysWhoseItIs) {
    auto host = start_rank("4");
    EXPECT_EQ(ovnictl({path(), "chains"}).out, "rank 4: ok 2 chains\nrank 4: first\nrank 4: second\n");
}

TEST_F(OvnictlTest, AnErrorIsTheExitStatus) {
    auto host = start_rank("1");
    auto other = start_rank("2");
    Finished done = ovnictl({home(), "flush"});
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "rank 1: err flush\nrank 2: err flush\n");
}

TEST_F(OvnictlTest, AProcessThatStandsStillIsNotWaitedForForEver) {
    auto still = start_rank("1"), other = start_rank("2");
    still->send(SIGSTOP);
    Finished done = ovnictl({home(), "--timeout", "0.2", "status"});
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(plain(done.out), "rank 1: err no answer within 0.2 s\nrank 2: ok status\n");
    EXPECT_THAT(ovnictl({home(), "-t", "0.2", "list"}).out, HasSubstr("does not answer"));
    still->send(SIGCONT);
    EXPECT_EQ(ovnictl({home(), "status"}).status, 0);
}

TEST_F(OvnictlTest, WhatAKilledProcessLeftIsShownAndRemoved) {
    auto dead = start_rank("1");
    std::string left = path();
    auto alive = start_rank("2");
    dead->send(SIGKILL);
    dead->wait();
    ASSERT_TRUE(fs::is_socket(left));
    Finished done = ovnictl({home(), "list"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "rank 1  process " + std::to_string(dead->pid()) + "  job 77  " + left +
                            ": dead, its socket is removed\nrank 2  process " + std::to_string(alive->pid()) +
                            "  job 77  " + path() + ": alive\n");
    EXPECT_FALSE(fs::exists(left));
}

TEST_F(OvnictlTest, DeadProcessesAreNotAsked) {
    auto dead = start_rank("1");
    std::string left = path();
    dead->send(SIGKILL);
    dead->wait();
    Finished named = ovnictl({left, "stop"});
    EXPECT_EQ(named.status, 1);
    EXPECT_EQ(named.out, "rank 1: err the process is dead\n");
    auto next = start_rank("1");
    std::string of_next = path();
    next->send(SIGKILL);
    next->wait();
    Finished done = ovnictl({home(), "stop"});
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, StartsWith("ovnictl: ERROR: no process to talk to"));
    EXPECT_FALSE(fs::exists(of_next));
}

TEST_F(OvnictlTest, ManyProcessesAnswerInTheOrderOfRanks) {
    std::vector<std::unique_ptr<Started>> all;
    std::string expected;
    for (int rank = 0; rank < 40; ++rank) {
        all.push_back(start_rank(std::to_string(rank)));
        expected += "rank " + std::to_string(rank) + ": ok start\n";
    }
    EXPECT_EQ(plain(ovnictl({home(), "start"}).out), expected);
}

TEST_F(OvnictlTest, MistakesOnTheCommandLineAreRefused) {
    auto host = start_rank("1");
    using Words = std::vector<std::string>;
    for (const Words& words : {Words{"flsuh"}, Words{home(), "stop", "3"}, Words{home(), "fire", "x"},
                               Words{home(), "fire", "1", "2"}, Words{home(), "--rank", "1-", "stop"},
                               Words{home(), "--rank", "3-1", "stop"}, Words{home(), "--rank", "1,", "stop"},
                               Words{home(), "--pid", "x", "stop"}, Words{home(), "--timeout", "0", "stop"},
                               Words{home(), "--timeout", "x", "stop"}, Words{home(), "--nonsense"},
                               Words{home() / "none", "stop"}, Words{"", "stop"}}) {
        Finished done = ovnictl(words);
        EXPECT_EQ(done.status, 2) << words.back() << done.out;
        EXPECT_THAT(done.err, StartsWith("ovnictl: "));
    }
    Finished help = ovnictl({"--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, HasSubstr("flush"));
}

TEST_F(OvnictlTest, SocketsOfOtherNamesAreNamedByTheirPath) {
    auto host = start_rank("1");
    fs::path other = home() / "other";
    fs::rename(path(), other);
    EXPECT_EQ(plain(ovnictl({other, "stop"}).out), other.string() + ": ok stop\n");
}

}  // namespace
}  // namespace ovni::test
