// Jobs that end badly, signals to mpirun, standard input: the same with ovnirun in between as without it, and
// nothing is left running.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "tests/mpi/traced.hpp"
#include "tests/support/launchers.hpp"
#include "tests/support/started.hpp"

namespace ovni::test {

class Jobs : public TracedTest, public ::testing::WithParamInterface<Words> {
 protected:
    Jobs() {
        prepare_for_mpirun();
        ::setenv("OVNI_TRACEDIR", trace_directory().c_str(), 1);
    }
    ~Jobs() override { EXPECT_EQ(left_running(), ""); }

    static Words job(const Words& words) { return Words{"mpirun", "-q", "-n", "2"} + GetParam() + words; }

    // Names of processes that still run with the environment of this test, which is unique by the directory.
    // They get 20 seconds.
    std::string left_running() const {
        std::string names;
        for (int i = 0; i < 2000; ++i) {
            names = running();
            if (names.empty()) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return names;
    }

 private:
    static std::string content(const std::filesystem::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string running() const {
        std::string names;
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
            if (entry.path().filename() == std::to_string(::getpid())) continue;
            if (content(entry.path() / "environ").find(trace_directory()) != std::string::npos)
                names += content(entry.path() / "comm");
        }
        return names;
    }
};

INSTANTIATE_TEST_SUITE_P(By, Jobs, all_launchers(), launcher_name);

TEST_P(Jobs, EndAsTheirRanksEnd) {
    EXPECT_EQ(WEXITSTATUS(Started(job({app("abort_one"), "abort", "0"})).wait()), 7);
    EXPECT_EQ(WEXITSTATUS(Started(job({app("abort_one"), "exit", "1"})).wait()), 7);
    EXPECT_EQ(WEXITSTATUS(Started(job({app("abort_one"), "segv", "1"})).wait()), 128 + SIGSEGV);
    EXPECT_EQ(WEXITSTATUS(Started(job({"bash", "-c", "exit 3"})).wait()), 3);
}

TEST_P(Jobs, StandardInputGoesToTheFirstRank) {
    Started launched(job({"cat"}));
    launched.write("hello\n");
    launched.close_input();
    EXPECT_EQ(launched.rest(), "hello\n");
    EXPECT_EQ(launched.wait(), 0);
}

TEST_P(Jobs, EndWithMpirun) {
    for (int signal : {SIGINT, SIGTERM}) {
        Started launched(job({"bash", "-c", "echo runs; sleep 60"}));
        for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(launched.line(), "runs");
        launched.send(signal);
        int status = launched.wait();
        // mpirun gives what its ranks ended with, or 1 if they had to be killed.
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 0) << status;
    }
}

TEST_P(Jobs, EndWithTheirTimeLimit) {
    // In the foreground it sends its signal once. Of two within a moment mpirun ends at once and leaves its
    // ranks.
    Started launched(Words{"timeout", "--foreground", "1"} + job({"bash", "-c", "sleep 60"}));
    EXPECT_EQ(WEXITSTATUS(launched.wait()), 124);
}

TEST_P(Jobs, SignalsToMpirunReachTheRanksOnce) {
    Started launched(job({std::string(BUILD_DIR) + "/tests/signal_log"}));
    for (int rank = 0; rank < 2; ++rank) launched.read_until("ready");
    launched.send(SIGUSR1);
    for (int rank = 0; rank < 2; ++rank) launched.read_until("got 10\n");
    launched.send(SIGUSR2);
    for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(launched.line(), "got 12");
    launched.send(SIGTERM);
    launched.wait();
}

}  // namespace ovni::test
