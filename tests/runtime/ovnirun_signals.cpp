// Signals, stops and continuations: a program gets each as often as without ovnirun.
#include <sys/time.h>
#include <unistd.h>

#include "tests/runtime/ovnirun_test.hpp"

namespace ovni::test {
namespace {

class Signals : public Launched {};
INSTANTIATE_TEST_SUITE_P(By, Signals, all_launchers(), launcher_name);

const std::vector<int> sent = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE,
                               SIGALRM, SIGTERM, SIGURG,  SIGXCPU, SIGWINCH};

TEST_P(Signals, SignalsToTheProcessComeOnce) {
    for (int signal : sent) {
        Started program(launch(signal_log));
        program.line();
        program.send(signal);
        EXPECT_EQ(signals(program), "got " + std::to_string(signal) + "\n");
    }
}

TEST_P(Signals, SignalsToTheGroupComeOnce) {
    for (int signal : sent) {
        Started program(launch(signal_log));
        program.line();
        program.send_to_group(signal);
        EXPECT_EQ(signals(program), "got " + std::to_string(signal) + "\n");
    }
}

TEST_P(Signals, SignalsInTurnComeOnceEach) {
    Started program(launch(signal_log));
    program.line();
    // Two of one number at a time may become one, as ever; so each round ends when ovnirun has taken its
    // copies.
    const int last = SIGRTMIN + 2;
    for (int round = 0; round < 5; ++round) {
        program.send(SIGUSR1);
        EXPECT_EQ(program.line(), "got 10");
        program.send_to_group(SIGUSR1);
        EXPECT_EQ(program.line(), "got 10");
        program.send_to_group(SIGTERM);
        EXPECT_EQ(program.line(), "got 15");
        program.send(last);
        EXPECT_EQ(program.line(), "got " + std::to_string(last));
        program.send(SIGTERM);
        EXPECT_EQ(program.line(), "got 15");
    }
    EXPECT_EQ(signals(program), "");
}

TEST_P(Signals, QueuedSignalsCarryTheirValue) {
    Started program(launch(signal_log));
    program.line();
    for (int value : {1, 2, 3}) ::sigqueue(program.pid(), SIGRTMIN, {value});
    std::string got = "got " + std::to_string(SIGRTMIN) + " with ";
    EXPECT_EQ(signals(program), got + "1\n" + got + "2\n" + got + "3\n");
}

TEST_P(Signals, SignalsOfTheProgramToItsGroupComeOnce) {
    Started program(launch({"bash", "-c", "trap 'echo got' TERM; kill -TERM 0; read line; echo $line"}));
    EXPECT_EQ(program.line(), "got");
    program.write("end\n");
    EXPECT_EQ(program.rest(), "end\n");
    EXPECT_EQ(program.wait(), 0);
}

TEST_P(Signals, SignalsOfTheProgramToItsParentReachItsLauncher) {
    sigset_t awaited, before;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGUSR2);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    Started program(launch(signal_log + Words{std::to_string(SIGUSR2)}),
                    [&] { sigprocmask(SIG_SETMASK, &before, nullptr); });
    program.line();
    timespec patience{20, 0};
    EXPECT_EQ(sigtimedwait(&awaited, nullptr, &patience), SIGUSR2);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    EXPECT_EQ(signals(program), "");
}

TEST_P(Signals, TimersOfTheLauncherReachTheProgram) {
    Started program(launch({"sleep", "60"}), [] {
        itimerval soon{{}, {0, 50'000}};
        ::setitimer(ITIMER_REAL, &soon, nullptr);
    });
    EXPECT_EQ(WTERMSIG(program.wait()), SIGALRM);
}

TEST_P(Signals, AGroupStopsAndGoesOn) {
    for (int stop : {SIGTSTP, SIGSTOP, SIGTTIN}) {
        Started program(launch(signal_log));
        program.line();
        for (int round = 0; round < 3; ++round) {
            program.send_to_group(stop);
            EXPECT_EQ(WSTOPSIG(program.wait(WUNTRACED)), stop);
            program.send_to_group(SIGCONT);
            EXPECT_TRUE(WIFCONTINUED(program.wait(WCONTINUED)));
            EXPECT_EQ(program.line(), "got 18");
        }
        program.send_to_group(SIGTERM);
        EXPECT_EQ(signals(program), "got 15\n");
    }
}

TEST_P(Signals, AProcessStopsAndGoesOn) {
    Started program(launch(signal_log));
    program.line();
    for (int round = 0; round < 3; ++round) {
        program.send(SIGTSTP);
        EXPECT_EQ(WSTOPSIG(program.wait(WUNTRACED)), SIGTSTP);
        program.send(SIGCONT);
        EXPECT_TRUE(WIFCONTINUED(program.wait(WCONTINUED)));
        EXPECT_EQ(program.line(), "got 18");
    }
    program.send_to_group(SIGTERM);
    EXPECT_EQ(signals(program), "got 15\n");
}

TEST_P(Signals, AProcessGoesOnAloneThoughItsGroupWasStopped) {
    Started program(launch(signal_log));
    std::string status = "/proc/" + program.line().substr(6) + "/status";
    program.send_to_group(SIGSTOP);
    EXPECT_EQ(WSTOPSIG(program.wait(WUNTRACED)), SIGSTOP);
    EXPECT_TRUE(becomes_true([&] {
        std::ifstream file(status);
        return std::string(std::istreambuf_iterator<char>(file), {}).find("T (stopped)") != std::string::npos;
    }));
    program.send(SIGCONT);
    EXPECT_EQ(program.line(), "got 18");
    program.send_to_group(SIGTERM);
    EXPECT_EQ(signals(program), "got 15\n");
}

// The sender knows nothing of a launcher.
TEST_P(Signals, AProgramStopsAndGoesOnByItsOwnNumber) {
    Started program(launch(signal_log));
    pid_t own = std::stoi(program.line().substr(6));
    for (int round = 0; round < 5; ++round) {
        ::kill(own, SIGSTOP);
        EXPECT_EQ(WSTOPSIG(program.wait(WUNTRACED)), SIGSTOP);
        ::kill(own, SIGCONT);
        EXPECT_TRUE(WIFCONTINUED(program.wait(WCONTINUED)));
        EXPECT_EQ(program.line(), "got 18");
    }
    for (int round = 0; round < 20; ++round) {
        ::kill(own, SIGSTOP);
        ::kill(own, SIGCONT);
        EXPECT_EQ(program.line(), "got 18");
    }
    program.send_to_group(SIGTERM);
    EXPECT_EQ(signals(program), "got 15\n");
}

TEST_P(Signals, AStoppedProgramMayBeKilled) {
    Started program(launch(signal_log));
    pid_t own = std::stoi(program.line().substr(6));
    ::kill(own, SIGSTOP);
    EXPECT_EQ(WSTOPSIG(program.wait(WUNTRACED)), SIGSTOP);
    ::kill(own, SIGKILL);
    EXPECT_EQ(WTERMSIG(program.wait()), SIGKILL);
}

TEST_P(Signals, AProgramMayStopItself) {
    Started program(launch({"bash", "-c", "kill -STOP $$; echo continued"}));
    EXPECT_EQ(WSTOPSIG(program.wait(WUNTRACED)), SIGSTOP);
    program.send_to_group(SIGCONT);
    EXPECT_EQ(program.rest(), "continued\n");
    EXPECT_EQ(program.wait(), 0);
}

TEST_P(Signals, SignalsFromTheTerminalComeOnce) {
    Started program(launch(signal_log), {}, Started::On::terminal);
    EXPECT_EQ(program.line().substr(0, 5), "ready");
    program.write("\x03");
    EXPECT_EQ(program.line(), "^Cgot 2");
    program.write("\x1c");
    EXPECT_EQ(program.line(), "^\\got 3");
    program.send(SIGUSR1);
    EXPECT_EQ(program.line(), "got 10");
    program.write("\x03");
    EXPECT_EQ(program.line(), "^Cgot 2");
    std::string said = in_parent() ? nothing_recorded : "";
    if (in_parent()) said.insert(said.find('\n'), "\r");
    EXPECT_EQ(signals(program), said);
}

TEST_P(Signals, LossOfTheTerminalEndsTheProgram) {
    Started program(launch({"sh", "-c", "echo runs; exec sleep 60"}), {}, Started::On::terminal);
    program.line();
    program.hang_up();
    int status = program.wait();
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGHUP);
}

TEST_P(Signals, AShellControlsTheJob) {
    Started shell(
        {"bash", "--noprofile", "--norc", "--noediting", "-i"}, [] { ::setenv("PS1", "", 1); },
        Started::On::terminal);
    std::string command = "stty -echo; echo begin;";
    for (const std::string& word : launch({"cat"})) command += " " + word;
    shell.write(command + "\n");
    shell.read_until("begin\r\n");
    shell.write("one\n");
    shell.read_until("one\r\n");
    shell.write("\x1a");
    shell.read_until("Stopped");
    shell.write("bg\n");
    // It reads from the terminal, which stops it.
    EXPECT_TRUE(becomes_true([&] {
        shell.write("jobs; echo listed\n");
        return shell.read_until("listed\r\n").find("Stopped") != std::string::npos;
    }));
    shell.write("fg\n");
    shell.write("two\n");
    shell.read_until("two\r\n");
    shell.write("\x04");
    shell.write("echo status=$?\n");
    shell.read_until("status=0");
    shell.write("exit 5\n");
    EXPECT_EQ(WEXITSTATUS(shell.wait()), 5);
}

TEST_P(Signals, NohupHolds) {
    Started program(Words{"nohup"} + launch({"cat"}));
    program.write("one\n");
    EXPECT_EQ(program.line(), "one");
    program.send(SIGHUP);
    program.send_to_group(SIGHUP);
    program.write("two\n");
    EXPECT_EQ(program.line(), "two");
    program.close_input();
    EXPECT_EQ(program.wait(), 0);
}

}  // namespace
}  // namespace ovni::test
