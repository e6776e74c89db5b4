// Regions by what the program calls: MPI_Pcontrol in every language, calls of a function, slow ones; for one
// process, and for all ranks at once.
#include <filesystem>
#include <fstream>

#include "tests/mpi/traced.hpp"

namespace ovni::test {

class Regions : public TracedTest {
 protected:
    // Below ovnirun with chains. Threads that share a CPU would be an error of a strict reader.
    Finished run_controlled(int ranks, const Words& words, const Words& options) {
        Finished done = traced(ranks, words, Words{"--cpu", "virtual"} + options,
                               {"OMPI_MCA_hwloc_base_binding_policy=none"});
        EXPECT_EQ(done.status, 0) << done.err;
        return done;
    }
    // Returns the output.
    std::string controlled(int ranks, const Words& words, const Words& options) {
        const Finished done = run_controlled(ranks, words, options);
        expect_emulates({"-l"});
        return done.out;
    }
    void for_job(int ranks, const Words& words, const std::string& chain) {
        controlled(ranks, words, {"--control", chain, "--control-scope", "job"});
    }
    // The number of calls of each rank.
    std::vector<int> allreduces() const {
        Trace trace = this->trace();
        std::vector<int> calls(trace.streams().size());
        for (uint32_t s = 0; s < calls.size(); ++s) calls[s] = counts_of(trace, s)["MAr"];
        return calls;
    }
};

class Stages : public Regions, public ::testing::WithParamInterface<const char*> {
 protected:
    // A program that is not built with it gets the sanitizer behind libovni-threads.
    void SetUp() override {
        bool is_fortran = !std::string_view(GetParam()).starts_with("stages_c");
        if (is_fortran && std::string_view(OVNI_SANITIZE) == "thread")
            GTEST_SKIP() << "threads begin in code of ours before ThreadSanitizer knows them";
    }
};

TEST_P(Stages, StagesAreRegionsOfTheTrace) {
    controlled(1, {app(GetParam())}, {"--control", "start:pcontrol:solve,stop:pcontrol:solve"});
    EXPECT_EQ(story_of(trace(), 0), "gap end OM[solve MAr MAR OM]solve gap");
}

TEST_P(Stages, MayBeToldApartByLevel) {
    controlled(1, {app(GetParam())}, {"--control", "start:pcontrol:solve@-1"});
    EXPECT_EQ(story_of(trace(), 0), "gap end OM[solve OM]solve MDb MDB MUf MUF");
}

TEST_P(Stages, BeginAtACall) {
    controlled(1, {app(GetParam())}, {"--control", "start:mpi:allreduce,stop:mpi:bcast"});
    EXPECT_EQ(story_of(trace(), 0), "gap end OM[solve MAr MAR OM]solve gap");
}

// Rank 0 alone passes "now" to MPI_Pcontrol.
TEST_F(Regions, RanksWithoutAStartAreToldOnceAJob) {
    auto said = [&](const char* word, const Words& options) {
        std::filesystem::remove_all(trace_directory());
        return run_controlled(3, {app("uneven"), "even"}, Words{"--control", word} + options).err;
    };
    EXPECT_EQ(said("start:pcontrol:now", {}),
              "WARN: --control: 1 of 3 ranks started recording; in the others no chain came to a start; the "
              "first begins with start:pcontrol:now\n");
    EXPECT_EQ(said("start:pcontrol:never", {}),
              "WARN: --control: nothing is recorded, as no chain came to a start in any rank; the first "
              "begins with start:pcontrol:never\n");
    EXPECT_EQ(said("start:pcontrol:now", {"--control-ranks", "0"}), "");
}

INSTANTIATE_TEST_SUITE_P(In, Stages,
                         ::testing::Values("stages_c", "stages_cpp"
#ifdef OVNI_TEST_FORTRAN
                                           ,
                                           "stages_mpifh", "stages_module", "stages_f08"
#endif
                                           ),
                         [](const auto& stages) { return std::string(stages.param); });

// One visit ends and another one begins while nothing is recorded.
TEST_F(Regions, TellVisitsApartThatAPauseLiesBetween) {
    controlled(1, {app("pause"), "again"},
               {"--control", "start:mpi:Init_thread,stop:mpi:Barrier,start:mpi:Barrier"});
    EXPECT_THAT(story_of(trace(), 0),
                HasSubstr("OM[stays OM[again OM]again OM]stays gap end OM[again OM]again OM[stays OM[again "
                          "MCb MCB OM]again OM]stays"));
    const std::map<std::string, int> known = {{"stays", 1}, {"again", 2}};
    EXPECT_EQ(visits(), known);
}

TEST_F(Regions, BeginAndEndBeforeACall) {
    controlled(1, {app("rounds"), "8"},
               {"--control", "start:mpi:allreduce:count3,stop:mpi:MPI_Allreduce:count2"});
    EXPECT_EQ(story_of(trace(), 0), "gap end MAr MAR MRs MRS MAr MAR MRs MRS gap");
}

TEST_F(Regions, BeginAtCallsThatAreNotRecorded) {
    controlled(1, {app("rounds"), "8"}, {"--control", "start:mpi:wtime:count8"});
    EXPECT_EQ(story_of(trace(), 0), "gap end MRs MRS MAr MAR MUf MUF");
}

// The events that led to the slow call are kept, and the call is the last.
TEST_F(Regions, EndWithASlowCall) {
    controlled(2, {app("rounds"), "50", "late=40"},
               {"--flight", "64k", "--control", "stop:slowcall:allreduce:200ms"});
    Trace trace = this->trace();
    int slow = 0;
    for (uint32_t s = 0; s < 2; ++s) {
        auto events = events_of(trace, s);
        for (size_t i = 1; i < events.size(); ++i) {
            if (events[i].code != "MAR" || events[i].clock - events[i - 1].clock < 200'000'000) continue;
            ++slow;
            EXPECT_EQ(counts_of(trace, s)["MAr"], 41);
            ASSERT_LT(i + 1, events.size());
            EXPECT_EQ(events[i + 1].code, "gap");
        }
    }
    EXPECT_EQ(slow, 1);
}

TEST_F(Regions, FastCallsEndNoRegion) {
    controlled(1, {app("rounds"), "5"}, {"--control", "stop:slowcall:allreduce:100s"});
    EXPECT_EQ(allreduces(), (std::vector{5}));
}

// One rank fires before round 5, whose collective passes that on; that of round 6 is the last before.
TEST_F(Regions, RegionsOfTheJobBeginAtOneCollective) {
    for_job(4, {app("rounds"), "12", "say=2@5"}, "start:pcontrol:now");
    EXPECT_EQ(allreduces(), (std::vector{5, 5, 5, 5}));
}

TEST_F(Regions, RegionsOfTheJobEndAtOneCollective) {
    for_job(4, {app("rounds"), "12", "say=3@5", "late=6"}, "stop:pcontrol:now");
    EXPECT_EQ(allreduces(), (std::vector{7, 7, 7, 7}));
}

TEST_F(Regions, RegionsOfTheJobComeAndGo) {
    for_job(4, {app("rounds"), "40"}, "start:mpi:allreduce:count5,stop:mpi:allreduce:count10,repeat");
    std::vector<int> calls = allreduces();
    EXPECT_GT(calls[0], 0);
    EXPECT_EQ(calls, std::vector(4, calls[0]));
}

class UnevenCollectives : public Regions, public ::testing::WithParamInterface<const char*> {};

// Others need not wait if MPI refuses a call of one rank, a jump leaves one, or nobody sees one.
TEST_P(UnevenCollectives, RanksAgreeThroughUnevenCollectives) {
    for_job(3, {app("uneven"), GetParam()}, "start:pcontrol:now");
    std::vector<int> calls = allreduces();
    std::sort(calls.begin(), calls.end());
    // A rank that has made one collective less switches one later.
    int fewest = std::string_view(GetParam()) == "hidden" ? 3 : 4;
    EXPECT_EQ(calls, (std::vector{fewest, 4, 4}));
}

INSTANTIATE_TEST_SUITE_P(By, UnevenCollectives, ::testing::Values("refused", "jump", "hidden"),
                         [](const auto& by) { return std::string(by.param); });

// A program may begin two nonblocking collectives and then send what makes another rank begin the first.
TEST_F(Regions, RegionsOfTheJobMakeNobodyWaitInNonblockingCollectives) {
    Finished done = run_controlled(2, {app("rounds"), "5", "ahead", "say=0@1"},
                                   {"--control", "start:pcontrol:now", "--control-scope", "job"});
    EXPECT_NE(done.err.find("fewer than two blocking collectives on MPI_COMM_WORLD"), std::string::npos)
        << done.err;
}

TEST_F(Regions, RegionsOfTheJobNeedACollectiveAfterTheNext) {
    Finished done = run_controlled(2, {app("rounds"), "5", "say=1@4"},
                                   {"--control", "start:pcontrol:now", "--control-scope", "job"});
    EXPECT_NE(done.err.find("not all ranks switched"), std::string::npos) << done.err;
    EXPECT_FALSE(std::filesystem::exists(trace_directory()));
}

// Threads open and close regions and call MPI while others stop and start recording.
TEST_F(Regions, MayBeginAndEndInsideOfAnything) {
    controlled(2, {app("pause"), "regions", "storm", "open_across", "silent_thread", "storm"},
               {"--control", "start:pcontrol:outer:count7:global,stop:pcontrol:inner:count5:global,repeat"});
    Trace trace = this->trace();
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        auto counts = counts_of(trace, s);
        EXPECT_EQ(counts["OM["], counts["OM]"]);
        EXPECT_EQ(counts["MW["], counts["MW]"]);
        EXPECT_EQ(counts["MT["], counts["MT]"]);
    }
}

// Each iteration begins to count its instructions and ends it, so threads come to translated code and leave
// it, and no event falls into the work of the tracer.
TEST_F(Regions, RegionsOfInstructionsComeAThousandTimes) {
    if (!std::filesystem::exists(BUILD_DIR "/lib/libovni-code.so"))
        GTEST_SKIP() << "there is no libovni-code.so";
    const Words words{app("heat"), "60", "60", "1200"};
    const std::string untouched = mpirun(2, words).out;
    const std::string out =
        controlled(2, words,
                   {"--control", "precond:mpi:Waitall,start:icount:2000,stop:icount:1000,repeat:1000",
                    "--control-log", path("log.%r")});
    EXPECT_EQ(out, untouched);
    for (const char* name : {"log.0", "log.1"}) {
        std::ifstream log(path(name));
        int done = 0, lines = 0;
        for (std::string line; std::getline(log, line); ++lines) done += line.find("\tdone\t") != line.npos;
        EXPECT_EQ(lines, 2000) << name;
        EXPECT_EQ(done, 2000) << name;
    }
}

// Requests that begin in a region and end behind it, or the other way round; communicators made outside.
TEST_F(Regions, KeepTheBooksOfWhatIsOutside) {
    controlled(
        2, {app("rounds"), "20", "posted"},
        {"--control", "start:mpi:irecv:count2,stop:mpi:irecv,start:mpi:wait,stop:mpi:comm_dup,repeat"});
    Finished dumped = run({program("ovnidump"), trace_directory()});
    EXPECT_EQ(dumped.status, 0) << dumped.err;
    EXPECT_EQ(dumped.out.find("holds here"), std::string::npos);
}

}  // namespace ovni::test
