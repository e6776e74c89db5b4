// The region controller in real programs: what its log says, who gets which number, what is refused.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/runtime/control_test.hpp"

namespace ovni::test {
namespace {

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

// Events between a start and a stop of the log are recorded, the rest is not.
TEST_F(ControlTest, OnlyRegionsAreRecorded) {
    set_environment("OVNI_CONTROL", "start:pcontrol:a,stop:pcontrol:b,repeat");
    run_traced([] {
        start();
        ovni_add_cpu(0, 0);
        put_begin(ovni_clock_now());
        for (int i = 0; i < 300; ++i) {
            if (i % 30 == 10) pass("a");
            if (i % 30 == 20) pass("b");
            put("OB.", ovni_clock_now(), i);
        }
        put("OHe", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    std::vector<int> expected, recorded;
    for (int i = 0; i < 300; ++i)
        if (i % 30 >= 10 && i % 30 < 20) expected.push_back(i);
    for (const RecordedEvent& event : stream().events)
        if (event.code == "OB.") recorded.push_back(event.argument<int>(0));
    EXPECT_EQ(recorded, expected);
    EXPECT_EQ(log().size(), 20u);
    EXPECT_EQ(stream().gaps["gaps"].size(), 11u);
    EXPECT_EQ(stream().gaps["gaps"][1]["reason"], "region");
    Finished done = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
    EXPECT_EQ(done.status, 0) << done.err;
}

TEST_F(ControlTest, StopOfOneThreadLeavesOthersOn) {
    set_environment("OVNI_CONTROL", "stop:pcontrol:b:tid1");
    set_environment("OVNI_CONTROL_SCOPE", "thread");
    run_traced([] {
        start();
        put_begin(ovni_clock_now());
        std::thread([] {
            ovni_thread_init(test_tid + 1);
            put_begin(ovni_clock_now());
            pass("b");
            put("OB.", ovni_clock_now(), 1);
            put("OHe", ovni_clock_now());
            ovni_thread_free();
        }).join();
        pass("b");
        put("OB.", ovni_clock_now(), 2);
        put("OHe", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    std::vector<RecordedStream> recorded = streams();
    ASSERT_EQ(recorded.size(), 2u);
    EXPECT_EQ(recorded[0].codes(), "OHx OB. OHe");
    EXPECT_EQ(recorded[1].codes(), "OHx OHe");
    EXPECT_THAT(log(), ElementsAre("- 1 stop - stop:pcontrol:b:tid1 done"));
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

TEST_F(ControlTest, AProgramWithoutALauncherIsRankZero) {
    set_environment("OVNI_CONTROL", "stop:pcontrol:b");
    for (const char* ranks : {"0", "1-3"}) {
        set_environment("OVNI_CONTROL_RANKS", ranks);
        run_traced([] {
            ovni_private_thread_open();
            ::exit(ovni_control_fire(OVNI_CONTROL_START, OVNI_CONTROL_THIS_THREAD, 1));
        });
        EXPECT_EQ(status(), *ranks == '0') << ranks;
    }
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

TEST_F(ControlTest, ForksGoOnAndExecStartsOver) {
    Finished done = run_target("stop:pcontrol:x", {"fork"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_THAT(log(), ElementsAre("- 1 stop - program done", "- 0 threadid - program done",
                                   "- 1 threadid - program done", "- 0 threadid - program done"));
}

TEST_F(ControlTest, ThreadsOfScopeThreadStopAlone) {
    set_environment("OVNI_CONTROL", "stop:pcontrol:b;stop:pcontrol:c:bcast");
    set_environment("OVNI_CONTROL_SCOPE", "thread");
    run_traced([] {
        ovni_private_thread_open();
        pass("b");
        std::thread([] {
            ovni_private_thread_open();
            pass("b");
            pass("c");
        }).join();
    });
    EXPECT_THAT(log(), ElementsAre("- 0 stop - stop:pcontrol:b done", "- 1 stop - stop:pcontrol:b done",
                                   "- 1 stop bcast stop:pcontrol:c:bcast done"));
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

TEST_F(ControlTest, TheProgramSaysWhereItFires) {
    const Finished done = run_target("threadid:pcontrol:x", {"fire_at"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "0 0 0 0\n0 0 b 10\n0 0 0 20\n1 0 b 20\n2 0 0 21\n0 7 0 0\n0 0 0 0\n");
    EXPECT_THAT(log_with_places(),
                ElementsAre("- 0 start - program was so 0x10", "- 0 start - program was so 0x20",
                            "- 0 stop bcast program done 0x20", "- 0 threadid - program done 0x21",
                            "- 7 start - program done -", "- 0 start - program was so -"));
    EXPECT_EQ(run({BUILD_DIR "/tests/runtime_control_target", "fire_at"}).out, "");
}

// The row of the main thread begins before any listener is there.
TEST_F(ControlTest, ListenersHearOfADefaultStartBeforeThem) {
    Finished done = run_target("threadid:pcontrol:x", {"listen", "-"}, {"--threads", "program"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "1\n1\nfirst 0 0 0\nfirst 1 0 0\nsecond 0 0 0\nsecond 1 0 0\n1\n");
}

std::string heard;

void hear(void*, int event, uint32_t tid, int) {
    heard += std::to_string(event) + ":" + std::to_string(tid) + " ";
}

// Ends the process with 0 if listeners that are new now are told of this one event alone.
[[noreturn]] void expect_no_start() {
    ovni_control_listen(hear, nullptr);
    ovni_control_fire(OVNI_CONTROL_THREADID, OVNI_CONTROL_THIS_THREAD, 0);
    if (heard != "2:0 ") fprintf(stderr, "%s\n", heard.c_str());
    ::exit(heard == "2:0 " ? 0 : 1);
}

TEST_F(ControlTest, ListenersHearOfNoStartThatIsOver) {
    set_environment("OVNI_CONTROL", "threadid:pcontrol:x");
    run_traced([] {
        ovni_private_thread_open();
        ovni_control_fire(OVNI_CONTROL_STOP, OVNI_CONTROL_THIS_THREAD, 1);
        expect_no_start();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

TEST_F(ControlTest, ListenersOfAForkedChildHearOfNoStart) {
    set_environment("OVNI_CONTROL", "threadid:pcontrol:x");
    run_traced([] {
        ovni_private_thread_open();
        const pid_t child = ::fork();
        if (child == 0) expect_no_start();
        int ending = 0;
        ::waitpid(child, &ending, 0);
        ::exit(WEXITSTATUS(ending));
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

TEST_F(ControlTest, NothingHappensIfThereIsNoTracer) {
    Finished done = run({BUILD_DIR "/tests/runtime_control_target", "listen", "+-?"});
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.out, "0\n0\n0\n0\n0\n");
}

TEST_F(ControlTest, FortranProgramsFireAndListen) {
    const std::string fortran = BUILD_DIR "/tests/runtime_control_fortran";
    if (!std::filesystem::exists(fortran)) GTEST_SKIP() << "there is no Fortran compiler";
    EXPECT_EQ(run({fortran}).out, "F\nF\nF\nF\n");
    Finished done = run_words("threadid:pcontrol:x", {fortran});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "T\n42 0 0 0\n42 1 0 1\nT\n42 0 0 0\nT\n42 2 0 0\nT\n");
    const Lines lines = log_with_places();
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1], "- 0 start - program done -");
    EXPECT_THAT(lines[2], AllOf(StartsWith("- 0 threadid - program done "), Not(EndsWith(" -"))));
}

TEST_F(ControlTest, OldSpellingsReachTheProgram) {
    for (const char* word :
         {"-controller-default-start", "-controller_default_start", "-log:controller_default_start"}) {
        std::filesystem::remove(log_path());
        Finished done =
            run_target("threadid:pcontrol:x", {"fire", "+"}, {word, "0", "-pinplay-control", "0"});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(log(), ElementsAre("- 0 start - program done")) << word;
    }
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
             Case{"-control", "start:icount:0",
                  "icount must be >=1\n    start:icount:0\n                 ^\n"},
             Case{"-skip", "5x", "not a number: '5x'"},
             Case{"-control-accuracy", "high", "block|exact"},
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

TEST_F(ControlTest, WordsMayHaveAPrefix) {
    const Finished done =
        run({program("ovnirun"), "--control-prefix", "sim:", "-sim:control", "start:pcontrol:a",
             "--sim:control-scope=thread", "-control", "stop:pcontrol:b", "env"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("OVNI_CONTROL=start:pcontrol:a;stop:pcontrol:b\n"));
    EXPECT_THAT(done.out, HasSubstr("OVNI_CONTROL_SCOPE=thread\n"));
    EXPECT_EQ(run({program("ovnirun"), "-sim:control", "start:pcontrol:a", "env"}).status, 2);
}

TEST_F(ControlTest, SeparatorsWithinAChainDoNotDivideIt) {
    Finished done = run(
        {program("ovnirun"), "--control", "start:pcontrol:a;b", "-control", "stop:pcontrol:\"c;d\"", "env"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("OVNI_CONTROL=start:pcontrol:a\\;b;stop:pcontrol:\"c;d\"\n"));
}

}  // namespace
}  // namespace ovni::test
