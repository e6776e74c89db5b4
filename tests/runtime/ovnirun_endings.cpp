// How ovnirun ends, and what it leaves running.
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "tests/runtime/ovnirun_test.hpp"
#include "tests/support/own_shared_memory.hpp"

namespace ovni::test {
namespace {

[[maybe_unused]] testing::Environment* const shared_memory_environment =
    testing::AddGlobalTestEnvironment(new OwnSharedMemory);

INSTANTIATE_TEST_SUITE_P(By, Launched, all_launchers(), launcher_name);

// Processes, not ended, whose parent is `parent`, and those that have ended, which it should have waited for.
struct Children {
    int running = 0, zombies = 0;
};

Children children_of(pid_t parent) {
    Children children;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream file(entry.path() / "stat");
        std::string text;
        if (!std::getline(file, text)) continue;
        char state = 0;
        int its_parent = 0;
        if (std::sscanf(text.c_str() + text.rfind(')'), ") %c %d", &state, &its_parent) != 2) continue;
        if (its_parent == parent) ++(state == 'Z' ? children.zombies : children.running);
    }
    return children;
}

TEST_F(OvnirunTest, RunsWithoutProc) {
    std::string hide = "mount -t tmpfs none /proc || exit 77; exec " + program("ovnirun") + " sh -c 'exit 5'";
    if (run({"unshare", "-m", "true"}).status != 0) GTEST_SKIP() << "no namespace of mounts";
    Finished done = run({"unshare", "-m", "sh", "-c", hide});
    if (done.status == 77) GTEST_SKIP() << "nothing can be mounted: " << done.err;
    EXPECT_EQ(done.status, 5) << done.err;
}

TEST_P(Launched, AnyStatusIsKept) {
    for (int status : {0, 1, 2, 63, 64, 77, 125, 126, 127, 128, 129, 137, 143, 200, 254, 255})
        EXPECT_EQ(run(launch({"sh", "-c", "exit " + std::to_string(status)})).status, status);
}

TEST_P(Launched, DeathByASignalIsKept) {
    for (int signal : {SIGSEGV, SIGKILL, SIGTERM, SIGABRT, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGALRM,
                       SIGTRAP, SIGRTMIN + 3}) {
        Started program(launch({"sh", "-c", "kill -" + std::to_string(signal) + " $$"}), [&] {
            rlimit cores{1 << 20, 1 << 20};
            if (::chdir(path(".").c_str()) == 0) ::setrlimit(RLIMIT_CORE, &cores);
        });
        int status = program.wait();
        EXPECT_TRUE(WIFSIGNALED(status)) << signal;
        EXPECT_EQ(WTERMSIG(status), signal);
        if (in_parent()) {
            EXPECT_FALSE(WCOREDUMP(status)) << signal;
        }
    }
}

TEST_P(Launched, ALimitOfFileSizesEndsNobody) {
    Started program(launch({"sh", "-c", "exit 3"}), [] {
        // ThreadSanitizer writes a file there when a program begins.
        ::setenv("TMPDIR", "/nowhere", 1);
        rlimit none{0, 0};
        ::setrlimit(RLIMIT_FSIZE, &none);
    });
    EXPECT_EQ(program.wait(), W_EXITCODE(3, 0));
}

// A shell says so.
TEST_P(Launched, WhatLiesBehindAFileIsNotFound) {
    if (GetParam().empty()) GTEST_SKIP() << "there is nobody to say it";
    std::ofstream(path("file")) << "text";
    EXPECT_EQ(run(launch({path("file") + "/program"})).status, 127);
}

TEST_P(Launched, EndsWithItsOwnChildNotWithADaemon) {
    Started program(launch({"bash", "-c", "setsid sleep 60 </dev/null >/dev/null 2>&1 & echo $!"}));
    pid_t daemon = std::stoi(program.line());
    EXPECT_EQ(program.rest(), "");
    EXPECT_EQ(program.wait(), 0);
    EXPECT_EQ(::kill(daemon, SIGKILL), 0);
}

TEST_P(Launched, AProgramHasNoChildItDoesNotKnow) {
    Started program(launch({"cat"}));
    program.write("x\n");
    EXPECT_EQ(program.line(), "x");
    Children children = children_of(program.pid());
    EXPECT_EQ(children.running, in_parent() ? 2 : 0);
    EXPECT_EQ(children.zombies, 0);
    program.close_input();
    EXPECT_EQ(program.wait(), 0);
}

TEST_F(OvnirunTest, ChildrenOfALauncherAreWaitedFor) {
    std::string command = "sleep 0.01 & exec " + program("ovnirun") + " cat";
    Started launched({"bash", "-c", command});
    launched.write("x\n");
    EXPECT_EQ(launched.line(), "x");
    EXPECT_TRUE(becomes_true([&] {
        Children children = children_of(launched.pid());
        return children.running == 2 && children.zombies == 0;
    }));
    launched.close_input();
    EXPECT_EQ(launched.wait(), 0);
}

// The row of the child ends with its exec, before anybody knows whether that records something.
TEST_F(OvnirunTest, ADaemonThatNobodyTracesLeavesNoRunDirectory) {
    const std::string daemon =
        "(exec env -u LD_PRELOAD sleep 60 > /dev/null) & echo $!; "
        "until read name < /proc/$!/comm && [ $name = sleep ]; do :; done";
    const Finished done = run({program("ovnirun"), "bash", "-c", daemon});
    EXPECT_EQ(done.status, 0) << done.err;
    const pid_t pid = std::stoi(done.out);
    EXPECT_EQ(::kill(pid, 0), 0);
    for (const auto& place : std::filesystem::directory_iterator(path("shm")))
        EXPECT_TRUE(std::filesystem::is_empty(place.path())) << place.path();
    ::kill(pid, SIGKILL);
}

TEST_F(OvnirunTest, ProgramGoesOnWhenOvnirunIsKilled) {
    Started launched(Words{program("ovnirun")} + signal_log);
    pid_t program = std::stoi(launched.line().substr(6));
    launched.send(SIGKILL);
    EXPECT_EQ(WTERMSIG(launched.wait()), SIGKILL);
    ::kill(program, SIGUSR1);
    EXPECT_EQ(launched.line(), "got 10");
    ::kill(program, SIGRTMIN + 1);
    EXPECT_EQ(launched.rest(), "");
    EXPECT_TRUE(becomes_true([&] { return ::kill(-launched.pid(), 0) != 0; })) << "something is left";
}

TEST_P(Launched, ALauncherThatWantsItGoneWithItselfGetsThat) {
    Started shell(Words{"bash", "-c", "setpriv --pdeathsig KILL \"$@\" <&0 & read line", "bash"} +
                  launch({"sh", "-c", "echo runs; exec sleep 60"}));
    EXPECT_EQ(shell.line(), "runs");
    shell.write("\n");
    EXPECT_EQ(shell.wait(), 0);
    EXPECT_EQ(shell.rest(), "");
}

}  // namespace
}  // namespace ovni::test
