// A program finds what its launcher gave to ovnirun.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <sstream>

#include "tests/runtime/ovnirun_test.hpp"

namespace ovni::test {
namespace {

class Inherits : public Launched {};
INSTANTIATE_TEST_SUITE_P(By, Inherits, all_launchers(), launcher_name);

void ignore_and_block(std::initializer_list<int> ignored, std::initializer_list<int> blocked) {
    for (int signal : ignored) ::signal(signal, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    for (int signal : blocked) sigaddset(&set, signal);
    sigprocmask(SIG_SETMASK, &set, nullptr);
}

std::string printed(const Words& words, const std::function<void()>& before_exec) {
    Started program(words, before_exec);
    std::string text = program.rest();
    EXPECT_EQ(program.wait(), 0);
    return text;
}

TEST_P(Inherits, MaskAndDispositionsAreInherited) {
    Words status = {"grep", "-E", "^Sig(Blk|Ign)|^Shd", "/proc/self/status"};
    for (auto before : {+[] { ignore_and_block({}, {}); },
                        +[] {
                            ignore_and_block({SIGHUP, SIGINT}, {});
                        },
                        +[] {
                            ignore_and_block({SIGCHLD, SIGPIPE, SIGTSTP}, {SIGCHLD, SIGUSR2, SIGTERM});
                        }})
        EXPECT_EQ(printed(launch(status), before), printed(status, before));
}

TEST_P(Inherits, DescriptorsAreInherited) {
    Words list = {"ls", "/proc/self/fd"};
    auto open_more = [] {
        ::dup2(STDOUT_FILENO, 7);
        ::dup2(STDOUT_FILENO, 200);
    };
    auto close_some = [] {
        ::close(STDIN_FILENO);
        ::close(STDERR_FILENO);
    };
    EXPECT_EQ(printed(launch(list), {}), printed(list, {}));
    EXPECT_EQ(printed(launch(list), open_more), printed(list, open_more));
    EXPECT_EQ(printed(launch(list), close_some), printed(list, close_some));
}

TEST_P(Inherits, GroupSessionAndLimitsAreInherited) {
    Started program(launch({"bash", "-c", "ulimit -n; umask; pwd; nice; ps -o pgid=,sid=,tty= $$"}), [] {
        ::umask(027);
        errno = 0;
        [[maybe_unused]] int now = ::nice(3);
        if (errno != 0 || ::chdir("/usr") != 0) ::_exit(1);
    });
    std::string limit = program.line();
    EXPECT_EQ(limit + "\n", run({"bash", "-c", "ulimit -n"}).out);
    EXPECT_EQ(program.line(), "0027");
    EXPECT_EQ(program.line(), "/usr");
    EXPECT_EQ(program.line(), std::to_string(::getpriority(PRIO_PROCESS, 0) + 3));
    std::istringstream line(program.line());
    pid_t group = 0, session = 0;
    line >> group >> session;
    EXPECT_EQ(group, program.pid());
    EXPECT_EQ(session, ::getsid(0));
    EXPECT_EQ(program.wait(), 0);
}

TEST_F(OvnirunTest, TheDrainerIsNicerThanTheProgramAtLeastByFive) {
    int own = ::getpriority(PRIO_PROCESS, 0);
    Words print = {"sh", "-c", "ps -L -o ni= -p $PPID | sort -n | tail -1"};
    EXPECT_EQ(std::stoi(run(Words{program("ovnirun")} + print).out), std::max(own, 5));
    EXPECT_EQ(std::stoi(run(Words{"nice", "-n", "10", program("ovnirun")} + print).out), own + 10);
}

TEST_P(Inherits, StandardInputIsInherited) {
    Started program(launch({"cat"}));
    std::string text(100'000, 'x');
    std::thread writer([&] {
        program.write(text);
        program.close_input();
    });
    EXPECT_EQ(program.rest(), text);
    writer.join();
    EXPECT_EQ(program.wait(), 0);
}

TEST_P(Inherits, EndsOfPipesAreTheProgramsAlone) {
    Started program(launch({"bash", "-c", "exec >&-; read line; exit 4"}));
    EXPECT_EQ(program.rest(), "") << "and it ends while the program runs";
    program.write("\n");
    EXPECT_EQ(WEXITSTATUS(program.wait()), 4);
}

TEST_F(OvnirunTest, ARelativeTraceDirectoryIsThatOfTheLauncher) {
    std::string here = std::filesystem::current_path();
    Words print = {"sh", "-c", "cd / && echo $OVNI_TRACEDIR $OVNI_TMPDIR"};
    EXPECT_EQ(run(Words{program("ovnirun"), "-o", "deep/trace"} + print, {"OVNI_TMPDIR=other"}).out,
              here + "/deep/trace " + here + "/other\n");
}

TEST_F(OvnirunTest, SanitizersAreLoadedFirst) {
    Words print = {"sh", "-c", "echo $LD_PRELOAD"};
    std::string list =
        run(Words{program("ovnirun")} + print, {"LD_PRELOAD=/none/libtool.so:/none/libasan.so.8"}).out;
    EXPECT_TRUE(list.starts_with("/none/libasan.so.8:/")) << list;
    EXPECT_TRUE(list.ends_with(":/none/libtool.so\n")) << list;
}

TEST_P(Inherits, ScriptsRun) {
    for (const char* first : {"#!/bin/bash\n", ""}) {
        std::ofstream(path("script")) << first << "cat; exit 9\n";
        ::chmod(path("script").c_str(), 0755);
        Started program(launch({path("script")}));
        program.write("to the script\n");
        program.close_input();
        EXPECT_EQ(program.rest(), "to the script\n");
        EXPECT_EQ(WEXITSTATUS(program.wait()), 9);
    }
}

}  // namespace
}  // namespace ovni::test
