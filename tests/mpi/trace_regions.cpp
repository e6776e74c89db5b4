// Regions by what the program calls: MPI_Pcontrol in every language, calls of a function, slow ones; for one
// process, and for all ranks at once.
#include "mpi/recorded_traffic.hpp"
#include "mpi/traced.hpp"

namespace ovni::test {

class Regions : public TracedTest {
 protected:
    // Below ovnirun with chains; a strict reader accepts the trace.
    Finished controlled(int ranks, const Words& words, const std::string& chains, const Words& options = {},
                        const Words& environment = {}) {
        Finished done = traced(ranks, words, Words{"--cpu", "virtual"} + options,
                               environment + Words{"OVNI_CONTROL=" + chains});
        EXPECT_EQ(done.status, 0) << done.err;
        expect_emulates({"-l"});
        return done;
    }
    // Calls of a function, from its enter event to its leave event, of the main thread of each rank.
    std::vector<int> calls_of(const std::string& enter) const {
        Trace trace = this->trace();
        std::vector<int> calls(trace.streams().size());
        for (uint32_t s = 0; s < calls.size(); ++s) calls[s] = counts_of(trace, s)[enter];
        return calls;
    }
};

constexpr const char* enter_allreduce = "MAr";

class Stages : public Regions, public ::testing::WithParamInterface<const char*> {};

TEST_P(Stages, AreRegionsOfTheTrace) {
    controlled(1, {app(GetParam())}, "start:pcontrol:solve,stop:pcontrol:solve");
    EXPECT_EQ(story_of(trace(), 0), "gap end OM[solve MAr MAR OM]solve gap");
}

TEST_P(Stages, MayBeToldApartByLevel) {
    controlled(1, {app(GetParam())}, "start:pcontrol:solve@-1");
    EXPECT_EQ(story_of(trace(), 0), "gap end MDb MDB MUf MUF");
}

INSTANTIATE_TEST_SUITE_P(In, Stages,
                         ::testing::Values("stages_c", "stages_cpp"
#ifdef OVNI_TEST_FORTRAN
                                           ,
                                           "stages_mpifh", "stages_module", "stages_f08"
#endif
                                           ),
                         [](const auto& stages) { return std::string(stages.param); });

TEST_F(Regions, BeginAndEndBeforeACall) {
    controlled(1, {app("rounds"), "8"}, "start:mpi:allreduce:count3,stop:mpi:MPI_Allreduce:count2");
    EXPECT_EQ(story_of(trace(), 0), "gap end MAr MAR MPs MPS MAr MAR MPs MPS gap");
}

TEST_F(Regions, BeginAtCallsThatAreNotRecorded) {
    controlled(1, {app("rounds"), "8"}, "start:mpi:wtime:count8");
    EXPECT_EQ(story_of(trace(), 0), "gap end MPs MPS MAr MAR MUf MUF");
}

TEST_F(Regions, OfFortranCallsToo) {
#ifdef OVNI_TEST_FORTRAN
    for (const char* binding : {"stages_mpifh", "stages_module", "stages_f08"}) {
        controlled(1, {app(binding)}, "start:mpi:allreduce,stop:mpi:bcast");
        EXPECT_EQ(story_of(trace(), 0), "gap end OM[solve MAr MAR OM]solve gap") << binding;
    }
#else
    GTEST_SKIP() << "there is no Fortran compiler";
#endif
}

// What led to the slow call is kept.
TEST_F(Regions, EndWithASlowCall) {
    controlled(2, {app("rounds"), "50", "late=40"}, "stop:slowcall:allreduce:200ms", {"--flight", "64k"});
    Trace trace = this->trace();
    bool found = false;
    for (uint32_t s = 0; s < 2; ++s) {
        auto events = events_of(trace, s);
        int64_t longest = 0;
        for (size_t i = 1; i < events.size(); ++i)
            if (events[i].code == "MAR") longest = std::max(longest, events[i].clock - events[i - 1].clock);
        if (longest < 200'000'000) continue;
        found = true;
        auto counts = counts_of(trace, s);
        EXPECT_EQ(counts["MAr"], 41);
        EXPECT_EQ(events.back().code == "gap" || events[events.size() - 2].code == "gap", true);
    }
    EXPECT_TRUE(found);
}

TEST_F(Regions, OfFastCallsDoNotEnd) {
    controlled(1, {app("rounds"), "5"}, "stop:slowcall:allreduce:100s");
    EXPECT_EQ(calls_of(enter_allreduce), (std::vector{5}));
}

// One rank fires before round 5, whose collective passes that on; the next is the first of a region.
TEST_F(Regions, OfTheJobBeginAtOneCollective) {
    controlled(4, {app("rounds"), "12", "say=2@5"}, "start:pcontrol:now", {}, {"OVNI_CONTROL_SCOPE=job"});
    EXPECT_EQ(calls_of(enter_allreduce), (std::vector{6, 6, 6, 6}));
}

TEST_F(Regions, OfTheJobEndAtOneCollective) {
    controlled(4, {app("rounds"), "12", "say=3@5", "late=6"}, "stop:pcontrol:now", {},
               {"OVNI_CONTROL_SCOPE=job"});
    EXPECT_EQ(calls_of(enter_allreduce), (std::vector{6, 6, 6, 6}));
}

TEST_F(Regions, OfTheJobComeAndGo) {
    controlled(4, {app("rounds"), "40"}, "start:mpi:allreduce:count5,stop:mpi:allreduce:count10,repeat", {},
               {"OVNI_CONTROL_SCOPE=job"});
    std::vector<int> calls = calls_of(enter_allreduce);
    EXPECT_GT(calls[0], 0);
    EXPECT_EQ(calls, std::vector(4, calls[0]));
}

// A program may begin two nonblocking collectives and then send what makes another rank begin the first.
TEST_F(Regions, OfTheJobMakeNobodyWaitInNonblockingCollectives) {
    Finished done = controlled(2, {app("rounds"), "5", "ahead", "say=0@1"}, "start:pcontrol:now", {},
                               {"OVNI_CONTROL_SCOPE=job"});
    EXPECT_NE(done.err.find("fewer than two blocking collectives on MPI_COMM_WORLD"), std::string::npos)
        << done.err;
}

TEST_F(Regions, OfTheJobNeedACollectiveAfterTheNext) {
    Finished done =
        controlled(2, {app("rounds"), "5", "say=1@4"}, "start:pcontrol:now", {}, {"OVNI_CONTROL_SCOPE=job"});
    EXPECT_NE(done.err.find("not all ranks switched"), std::string::npos) << done.err;
    EXPECT_EQ(calls_of(enter_allreduce), std::vector<int>());
}

// Threads open and close regions and call MPI while others stop and start recording.
TEST_F(Regions, MayBeginAndEndInsideOfAnything) {
    controlled(2, {app("pause"), "regions", "storm", "open_across", "silent_thread", "storm"},
               "start:pcontrol:outer:count7:global,stop:pcontrol:inner:count5:global,repeat");
    Trace trace = this->trace();
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        auto counts = counts_of(trace, s);
        EXPECT_EQ(counts["OM["], counts["OM]"]);
        EXPECT_EQ(counts["MW["], counts["MW]"]);
        EXPECT_EQ(counts["MT["], counts["MT]"]);
    }
}

// Requests that begin in a region and end behind it, or the other way round; communicators made outside.
TEST_F(Regions, KeepTheBooksOfWhatIsOutside) {
    controlled(2, {app("rounds"), "20", "posted"},
               "start:mpi:irecv:count2,stop:mpi:irecv,start:mpi:wait,stop:mpi:comm_dup,repeat");
}

}  // namespace ovni::test
