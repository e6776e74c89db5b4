// Threads that wait for each other for ever: what their traces say after the process was killed, and while it
// hangs.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/pthread/traced_threads.hpp"
#include "tests/support/own_shared_memory.hpp"
#include "tests/support/started.hpp"

namespace ovni::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

[[maybe_unused]] testing::Environment* const shared_memory =
    testing::AddGlobalTestEnvironment(new OwnSharedMemory);

class LockDeadlock : public TracedThreads {
 protected:
    // Below ovnirun.
    Words hanging(const std::string& way, const Words& options = {}) const {
        return Words{program("ovnirun"), "-o", trace()} + options + Words{target("pthread_deadlock"), way};
    }
    static void wait_until_it_hangs(Started& job) {
        EXPECT_EQ(job.line(), "hangs");
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
    }
    // The program dies; ovnirun writes the rest.
    static void end(Started& job) {
        job.send(SIGTERM);
        job.wait();
    }
    void hang_and_kill(const std::string& way, const Words& options = {}) const {
        std::filesystem::remove_all(trace());
        Started job(hanging(way, options));
        wait_until_it_hangs(job);
        end(job);
    }
    std::string waiting() const {
        const Finished done = run({program("ovnitop"), "--waiting", trace()});
        EXPECT_EQ(done.status, 0) << done.err;
        return done.out;
    }
};

const std::string circle =
    "deadlock: process [0-9]+: thread [0-9]+ (first|second) waits for mutex (second|first)_lock, which "
    "thread "
    "[0-9]+ (second|first) has, for [0-9]+[.][0-9] s; thread [0-9]+ (second|first) waits for mutex "
    "(first|second)_lock, which thread [0-9]+ (first|second) has, for [0-9]+[.][0-9] s\n";

TEST_F(LockDeadlock, TwoThreadsThatWaitForEachOtherAreReported) {
    for (const Words& options : {Words{}, Words{"--pthread", "all"}}) {
        hang_and_kill("locks", options);
        const std::string text = waiting();
        EXPECT_THAT(text, ContainsRegex(circle));
        EXPECT_THAT(text, ContainsRegex("thread [0-9]+ waits for the end of thread [0-9]+ first, for "));
        const Finished emulated = run({program("ovniemu"), trace()});
        EXPECT_EQ(emulated.status, 0);
        EXPECT_THAT(emulated.err, ContainsRegex(circle));
    }
}

TEST_F(LockDeadlock, TheReportHasTheCircle) {
    hang_and_kill("locks");
    const nlohmann::json all = report();
    const auto& waits = all["lock_waits"];
    ASSERT_EQ(all["lock_deadlocks"].size(), 1u);
    const auto& circle_of_waits = all["lock_deadlocks"][0];
    ASSERT_EQ(circle_of_waits.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
        const auto &wait = waits[circle_of_waits[i].get<size_t>()],
                   &next = waits[circle_of_waits[1 - i].get<size_t>()];
        EXPECT_EQ(wait["kind"], "mutex");
        EXPECT_EQ(wait["holder"], next["tid"]);
        EXPECT_GE(wait["until"].get<int64_t>() - wait["since"].get<int64_t>(), 500'000'000);
    }
    EXPECT_EQ(waits.size(), 3u) << "and the main thread joins";
}

TEST_F(LockDeadlock, ADeadlockIsReportedWhileItHangs) {
    Started job(hanging("locks"));
    wait_until_it_hangs(job);
    const Finished written = run({program("ovnirecover"), "--write-out", "--all"});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_THAT(waiting(), ContainsRegex(circle));
    end(job);
}

TEST_F(LockDeadlock, AThreadThatWaitsForItselfIsReported) {
    hang_and_kill("itself");
    EXPECT_THAT(waiting(),
                ContainsRegex("deadlock: process [0-9]+: thread [0-9]+ waits for mutex first_lock, "
                              "which it has, for [0-9]+[.][0-9] s\n"));
}

TEST_F(LockDeadlock, AHolderThatDoesNotWaitIsInNoDeadlock) {
    hang_and_kill("writer");
    const std::string text = waiting();
    EXPECT_THAT(text, Not(HasSubstr("deadlock")));
    EXPECT_THAT(text, ContainsRegex("process [0-9]+: thread [0-9]+ waits for rwlock table_lock, which thread "
                                    "[0-9]+ writer has, for [0-9]+[.][0-9] s\n"));
}

TEST_F(LockDeadlock, AnOrdinaryProgramHasNoDeadlock) {
    ASSERT_EQ(traced("contended", {target("pthread_waits")}).status, 0);
    EXPECT_THAT(waiting(), Not(HasSubstr("deadlock")));
    EXPECT_TRUE(report()["lock_deadlocks"].empty());
}

}  // namespace
}  // namespace ovni::test
