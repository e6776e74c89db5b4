// The region controller in real programs: what its log says, who gets which number, what is refused.
#include "ovni/control.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "ovni/private.h"
#include "runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lines = std::vector<std::string>;

class ControlTest : public RuntimeTest {
 protected:
    ControlTest() { set_environment("OVNI_CONTROL_LOG", log_path()); }
    std::string log_path(const std::string& name = "log") const { return home() / name; }

    // Without clock and pid, blanks for tabs; a default start that changes nothing is left out.
    Lines log(const std::string& name = "log") const {
        std::ifstream file(log_path(name));
        Lines lines;
        for (std::string line; std::getline(file, line);) {
            std::istringstream columns(line);
            Lines words;
            for (std::string word; std::getline(columns, word, '\t');) words.push_back(word);
            EXPECT_EQ(words.size(), 8u) << line;
            if (words.size() != 8 || (words[6] == "default start" && words[7] == "was so")) continue;
            lines.push_back(words[1] + " " + words[3] + " " + words[4] + " " + words[5] + " " + words[6] +
                            " " + words[7]);
        }
        return lines;
    }
    Finished run_target(const std::string& chain, const Lines& words, const Lines& options = {}) {
        Lines command{program("ovnirun"), "--control", chain, "--control-log", log_path()};
        command.insert(command.end(), options.begin(), options.end());
        command.push_back(BUILD_DIR "/tests/runtime_control_target");
        command.insert(command.end(), words.begin(), words.end());
        return run(command, {"OVNI_TRACEDIR=" + trace().string(), "OVNI_RUNDIR=" + home().string()});
    }
};

void pass(const char* text, int level = 1) {
    if (ovni_private_awaits_pcontrol()) ovni_private_hit_pcontrol(level, text, strlen(text));
}

TEST_F(ControlTest, ChainsFireInOrder) {
    set_environment("OVNI_CONTROL", "start:pcontrol:a:count2,stop:pcontrol:b,repeat;threadid:pcontrol:c");
    run_traced([] {
        ovni_private_thread_open();
        if (!ovni_private_awaits_pcontrol() || ovni_private_awaited_calls()) ::exit(1);
        for (const char* text : {"b", "a", "a", "c", "a", "b", "c", "a", "a", "b"}) pass(text);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_THAT(log(),
                ElementsAre("- 0 start - start:pcontrol:a:count2 done",
                            "- 0 threadid - threadid:pcontrol:c done", "- 0 stop - stop:pcontrol:b done",
                            "- 0 start - start:pcontrol:a:count2 done", "- 0 stop - stop:pcontrol:b done"));
}

TEST_F(ControlTest, NothingIsAwaitedWithoutChains) {
    run_traced([] {
        ovni_private_thread_open();
        if (ovni_private_awaits_pcontrol() || ovni_private_awaited_calls() || ovni_private_is_job_scope())
            ::exit(1);
        pass("a");
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_THAT(log(), ElementsAre());
}

TEST_F(ControlTest, EventsThatChangeNothingAreToldAsSuch) {
    set_environment("OVNI_CONTROL", "stop:pcontrol:b,repeat");
    run_traced([] {
        ovni_private_thread_open();
        pass("b");
        pass("b");
    });
    EXPECT_THAT(log(), ElementsAre("- 0 stop - stop:pcontrol:b done", "- 0 stop - stop:pcontrol:b was so"));
}

TEST_F(ControlTest, RanksThatAreNotListedHaveNoController) {
    set_environment("OVNI_CONTROL", "stop:pcontrol:b");
    set_environment("OVNI_CONTROL_RANKS", "0,3-5");
    for (const char* rank : {"0", "1", "2", "4", "6"}) {
        set_environment("OMPI_COMM_WORLD_RANK", rank);
        run_traced([] {
            ovni_private_thread_open();
            pass("b");
            int taken = ovni_control_fire(OVNI_CONTROL_START, OVNI_CONTROL_THIS_THREAD, 1);
            ::exit(taken);
        });
        EXPECT_EQ(status(), *rank == '0' || *rank == '4') << rank;
    }
    EXPECT_THAT(log(), ElementsAre("0 0 stop - stop:pcontrol:b done", "0 0 start bcast program done",
                                   "4 0 stop - stop:pcontrol:b done", "4 0 start bcast program done"));
}

TEST_F(ControlTest, LogsHaveNamesOfTheirRanks) {
    set_environment("OVNI_CONTROL", "stop:pcontrol:b");
    set_environment("OVNI_CONTROL_LOG", log_path("log.%r%%"));
    set_environment("OMPI_COMM_WORLD_RANK", "12");
    run_traced([] {
        ovni_private_thread_open();
        pass("b");
    });
    EXPECT_EQ(log("log.12%%").size(), 1u);
}

TEST_F(ControlTest, ALogThatCannotBeWrittenIsToldOnce) {
    set_environment("OVNI_CONTROL", "stop:pcontrol:b,repeat");
    set_environment("OVNI_CONTROL_LOG", "/no/such/place");
    run_traced([] {
        ovni_private_thread_open();
        for (int i = 0; i < 3; ++i) pass("b");
    });
    EXPECT_EQ(status(), 0);
    EXPECT_EQ(std::ranges::count(printed_errors(), '\n'), 1) << printed_errors();
}

TEST_F(ControlTest, BadChainsAreToldAndAllIsRecorded) {
    for (const char* chains :
         {"start:bogus:1", "start:icount:100", "start:pcontrol:a;", "stop:pcontrol:\"b"}) {
        set_environment("OVNI_CONTROL", chains);
        run_traced([] {
            ovni_private_thread_open();
            std::thread([] { ovni_private_thread_open(); }).join();
            pass("a");
            pass("b");
        });
        EXPECT_EQ(status(), 0);
        EXPECT_EQ(std::ranges::count(printed_errors(), '\n'), 1) << printed_errors();
        EXPECT_THAT(printed_errors(), HasSubstr("OVNI_CONTROL: "));
    }
    EXPECT_THAT(log(), ElementsAre());
}

TEST_F(ControlTest, JobsAgreeBeforeAnythingHappens) {
    set_environment("OVNI_CONTROL", "start:pcontrol:a,stop:pcontrol:b");
    set_environment("OVNI_CONTROL_SCOPE", "job");
    run_traced([] {
        ovni_private_thread_open();
        if (!ovni_private_is_job_scope() || ovni_private_job_wish() != 0) ::exit(1);
        pass("a");
        if (ovni_private_job_wish() != 3) ::exit(2);
        ovni_private_job_agreed(3);
        ovni_private_job_agreed(3);
        if (ovni_private_job_wish() != 0) ::exit(3);
        pass("b");
        if (ovni_private_job_wish() != 4) ::exit(4);
        ovni_private_job_agreed(4);
    });
    EXPECT_EQ(status(), 0);
    EXPECT_THAT(log(), ElementsAre("- 0 start - start:pcontrol:a wished", "- 0 start bcast job done",
                                   "- 0 stop - stop:pcontrol:b wished", "- 0 stop bcast job done"));
}

TEST_F(ControlTest, ThreadsAreNumberedInTheOrderOfTheirCreation) {
    Finished done = run_target("stop:pcontrol:x", {"threads"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_THAT(log(), ElementsAre("- 3 threadid - program done", "- 2 threadid - program done",
                                   "- 1 threadid - program done", "- 0 threadid - program done"));
}

TEST_F(ControlTest, TheProgramFiresAndListens) {
    Finished done = run_target("threadid:pcontrol:x", {"listen", "--+?"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out,
              "1\n1\nfirst 0 0 0\nsecond 0 0 0\nfirst 1 0 0\nsecond 1 0 0\n1\nfirst 1 0 0\nsecond 1 0 0\n1\n"
              "first 0 0 0\nsecond 0 0 0\n1\nfirst 2 0 0\nsecond 2 0 0\n1\n");
    EXPECT_THAT(log(), ElementsAre("- 0 stop - program done", "- 0 stop - program was so",
                                   "- 0 start - program done", "- 0 threadid - program done"));
}

TEST_F(ControlTest, WithoutTheTracerNothingHappens) {
    Finished done = run({BUILD_DIR "/tests/runtime_control_target", "listen", "+-?"});
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.out, "0\n0\n0\n0\n0\n");
}

TEST_F(ControlTest, OldSpellingsReachTheProgram) {
    Finished done = run_target("threadid:pcontrol:x", {"fire", "+"}, {"-controller-default-start", "0"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(log(), ElementsAre("- 0 start - program done"));
}

TEST_F(ControlTest, WhatCannotBeIsRefusedBeforeTheProgramStarts) {
    struct Case {
        const char* option;
        const char* value;
        const char* said;
    };
    for (const Case& wrong : {
             Case{"--control", "start:bogus:1", "'bogus'\n    start:bogus:1\n          ^\n"},
             Case{"\xe2\x80\x93"
                  "control",
                  "go:int3", "'go'\n    go:int3\n    ^\n"},
             Case{"-control", "start:icount:5", "icount are not supported"},
             Case{"-skip", "5", "icount are not supported"},
             Case{"--control", "start:mpi:Sendd", "unknown MPI function 'Sendd'"},
             Case{"--control-ranks", "0,x", "0,x\n      ^\n"},
             Case{"-control-scope", "node", "thread|process|job"},
         }) {
        Finished done = run({program("ovnirun"), wrong.option, wrong.value, "echo", "ran"});
        EXPECT_EQ(done.status, 2) << wrong.value;
        EXPECT_EQ(done.out, "");
        EXPECT_THAT(done.err, HasSubstr(wrong.said));
    }
    EXPECT_EQ(run({program("ovnirun"), "echo"}, {"OVNI_CONTROL=start:mpi:Send;stop"}).status, 2);
    EXPECT_EQ(run({program("ovnirun"), "echo"}, {"OVNI_CONTROL_SCOPE=node"}).status, 2);
}

TEST_F(ControlTest, SeparatorsWithinAChainDoNotDivideIt) {
    Finished done = run(
        {program("ovnirun"), "--control", "start:pcontrol:a;b", "-control", "stop:pcontrol:\"c;d\"", "env"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("OVNI_CONTROL=start:pcontrol:a\\;b;stop:pcontrol:\"c;d\"\n"));
}

}  // namespace
}  // namespace ovni::test
