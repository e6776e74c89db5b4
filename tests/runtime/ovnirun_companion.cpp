// The requests to a companion, and their times.
#include "tests/runtime/ovnirun_test.hpp"

namespace ovni::test {
namespace {

class CompanionTest : public OvnirunTest {
 protected:
    Words host(const std::string& where, const Words& words) const {
        return Words{BUILD_DIR "/tests/companion_host", path("log"), where} + words;
    }
    std::string log() const {
        std::ifstream file(path("log"));
        return {std::istreambuf_iterator<char>(file), {}};
    }
    // How the program ended is known if the companion looks before its parent does.
    bool finishes(const std::string& how) const {
        return becomes_true([&] {
            const std::string all = log();
            return all.ends_with("\nfinish " + how + "\n") || all.ends_with("\nfinish unknown 0\n");
        });
    }
};

TEST_F(CompanionTest, LivesInTheParentFromBeforeTheProgramToAfterIt) {
    Words words = {"bash", "-c", "cat " + path("log") + "; echo $COMPANION $$; ls /proc/$$/fd; exit 3"};
    Started program(host("parent", words));
    EXPECT_EQ(program.line(), "prepare");
    std::string start = program.line();
    std::string own = program.line();
    ASSERT_TRUE(own.starts_with("prepared ")) << own;
    EXPECT_EQ(start, "start " + own.substr(9) + " session same");
    EXPECT_EQ(program.rest(), Started({"bash", "-c", "ls /proc/$$/fd; exit 3"}).rest());
    EXPECT_EQ(WEXITSTATUS(program.wait()), 3);
    EXPECT_EQ(log(), "prepare\n" + start + "\nfinish exit 3\n");
}

TEST_F(CompanionTest, LearnsOfADeathBySignal) {
    Started program(host("parent", {"bash", "-c", "kill -KILL $$"}));
    EXPECT_EQ(WTERMSIG(program.wait()), SIGKILL);
    EXPECT_TRUE(log().ends_with("\nfinish signal 9\n")) << log();
}

TEST_F(CompanionTest, FinishesWhereThereIsNoProgram) {
    EXPECT_EQ(run(host("parent", {"no-such-program"})).status, 127);
    EXPECT_TRUE(log().ends_with("\nfinish exit 127\n")) << log();
}

TEST_F(CompanionTest, StaysWhileSignalsArePassedOn) {
    Started program(host("parent", signal_log));
    program.line();
    program.send(SIGTERM);
    program.send_to_group(SIGHUP);
    std::string got = program.line() + program.line();
    EXPECT_TRUE(got == "got 1got 15" || got == "got 15got 1") << got;
    program.send(SIGRTMIN + 1);
    EXPECT_EQ(program.rest(), "");
    EXPECT_EQ(program.wait(), 0);
    EXPECT_TRUE(log().ends_with("\nfinish exit 0\n")) << log();
}

TEST_F(CompanionTest, DetachedOutlivesTheProcessGroup) {
    Started program(
        host("detached", {"bash", "-c", "cat " + path("log") + "; echo $COMPANION; exec sleep 60"}));
    EXPECT_EQ(program.line(), "prepare");
    EXPECT_EQ(program.line(), "start " + std::to_string(program.pid()) + " session own");
    EXPECT_EQ(program.line(), "prepared");
    program.send_to_group(SIGKILL);
    EXPECT_EQ(WTERMSIG(program.wait()), SIGKILL);
    EXPECT_EQ(program.rest(), "");
    EXPECT_TRUE(finishes("signal 9")) << log();
}

TEST_F(CompanionTest, DetachedFinishesWhereThereIsNoProgram) {
    EXPECT_EQ(run(host("detached", {"no-such-program"})).status, 127);
    EXPECT_TRUE(finishes("exit 127")) << log();
}

}  // namespace
}  // namespace ovni::test
