// MPI_Pcontrol: regions, pauses and flushes, with threads.
#include <fstream>

#include "tests/mpi/traced.hpp"

namespace ovni::test {

class Control : public TracedTest {
 protected:
    // Runs scenarios of tests/apps/pause on one rank; the story of its main thread without MPI_Init_thread.
    std::string story(const Words& scenarios) {
        Finished done = traced(1, Words{app("pause")} + scenarios, {"--cpu", "virtual"});
        EXPECT_EQ(done.status, 0) << done.err;
        err_ = done.err;
        expect_emulates();
        std::string story = story_of(trace(), 0);
        EXPECT_TRUE(story.starts_with("MUt MUT ")) << story;
        return story.substr(8);
    }
    std::string err_;
};

TEST_F(Control, RegionsNest) {
    EXPECT_EQ(story({"regions"}), "OM[outer OM[inner MCb MCB OM]inner OM]outer MUf MUF");
    EXPECT_NE(err_.find("region 'outer' is closed but not open"), std::string::npos) << err_;
}

TEST_F(Control, ClosingBelowTheTopReopensTheOthers) {
    EXPECT_EQ(story({"crossing"}), "OM[a OM[b OM[c OM]c OM]b OM]a OM[b OM[c OM]c OM]b OM[c OM]c MUf MUF");
    auto events = events_of(trace(), 0);
    auto first_pop = std::find_if(events.begin(), events.end(), [](auto& e) { return e.code == "OM]"; });
    for (int i = 1; i < 5; ++i) EXPECT_EQ((first_pop + i)->clock, first_pop->clock);
}

TEST_F(Control, NothingIsRecordedInAPause) {
    EXPECT_EQ(story({"off_and_on"}), "MCb MCB gap end MCb MCB MUf MUF");
}

TEST_F(Control, OpenRegionsAreClosedAroundAPause) {
    EXPECT_EQ(story({"open_across"}),
              "OM[closed in the pause OM[across OM]across OM]closed in the pause gap end "
              "OM[across OM[ends the pause MCb MCB OM]ends the pause OM]across MUf MUF");
}

TEST_F(Control, PausesAndCrossingRegionsMakeNoVisits) {
    story({"open_across", "crossing"});
    const std::map<std::string, int> once = {
        {"a", 1}, {"b", 1}, {"c", 1}, {"closed in the pause", 1}, {"across", 1}, {"ends the pause", 1}};
    EXPECT_EQ(visits(), once);
}

TEST_F(Control, FlushLosesNothing) {
    EXPECT_EQ(story({"flush"}), "MCb MCB MCb MCB MUf MUF");
}

TEST_F(Control, OtherLevelsAreMarkersAndBadStringsAreNoRegions) {
    EXPECT_EQ(story({"other_levels"}), "OM=level 7 OM=level -3 OM=level -1 MUf MUF");
    EXPECT_EQ(trace().streams()[0].metadata.common->marks->at(0).kind, MarkKind::punctual);
}

TEST_F(Control, FinalizeClosesWhatIsOpen) {
    EXPECT_EQ(story({"leave_open"}), "OM[left OM[open OM]open OM]left MUf MUF");
}

TEST_F(Control, PauseMayLastToTheEnd) {
    EXPECT_EQ(story({"finalize_paused"}), "OM[open at the end OM]open at the end gap");
}

TEST_F(Control, MorePausesThanAreRememberedEndInOrder) {
    std::string story = this->story({"many"});
    EXPECT_TRUE(story.ends_with("MUf MUF")) << story;
}

TEST_F(Control, SilentThreadShowsThePausesItSleptThrough) {
    ASSERT_EQ(traced(1, {app("pause"), "silent_thread"}, {"--cpu", "virtual"}).status, 0);
    expect_emulates();
    Trace trace = this->trace();
    ASSERT_EQ(trace.streams().size(), 2u);
    uint32_t thread = trace.streams()[0].metadata.tid == trace.streams()[0].metadata.process->pid ? 1 : 0;
    std::string story = story_of(trace, thread);
    // It may reach its receive before, between or after the pauses.
    EXPECT_TRUE(story.starts_with("OM[thread")) << story;
    EXPECT_TRUE(
        story.ends_with("MR] OM]thread OM[open at the end of the thread OM]open at the end of the thread"))
        << story;
    auto gaps = counts_of(trace, thread);
    EXPECT_EQ(gaps["gap"], 2);
    EXPECT_EQ(gaps["MR["], gaps["MR]"]);
    EXPECT_EQ(gaps["OM["], gaps["OM]"]);
}

TEST_F(Control, AnyThreadMayPauseAtAnyTime) {
    ASSERT_EQ(traced(2, {app("pause"), "regions", "storm", "open_across", "silent_thread", "storm"},
                     {"--cpu", "virtual"})
                  .status,
              0);
    expect_emulates();
    Trace trace = this->trace();
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        auto counts = counts_of(trace, s);
        EXPECT_EQ(counts["OM["], counts["OM]"]);
        EXPECT_EQ(counts["MW["], counts["MW]"]);
        EXPECT_EQ(counts["MT["], counts["MT]"]);
    }
}

class Shared : public TracedTest {
 protected:
    // Runs tests/apps/with_libovni on two ranks.
    void run_app(const std::string& when) {
        Finished done = traced(2, {app("with_libovni"), when}, {"--cpu", "virtual"});
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, "");
        expect_emulates();
        for (const Stream& stream : streams()) {
            EXPECT_TRUE(stream.metadata.common->loom.starts_with("program."));
            EXPECT_EQ(stream.metadata.process->app_id, 3);
            EXPECT_TRUE(stream.metadata.finished);
            EXPECT_FALSE(stream.metadata.end.has_value());
        }
    }
    const std::string work = "OB. OM[work MCb MCB OM]work gap end OM[work OM]work OB.";
};

TEST_F(Shared, StreamsOfTheProgramTakeOurEvents) {
    run_app("before");
    ASSERT_EQ(trace().streams().size(), 2u);
    for (uint32_t s = 0; s < 2; ++s) {
        EXPECT_EQ(story_of(trace(), s), "MUt MUT " + work + " MUf MUF");
        auto counts = counts_of(trace(), s);
        EXPECT_EQ(counts["OHx"], 1);
        EXPECT_EQ(counts["OHe"], 1);
        // A stream that pauses tells what it leaves out.
        EXPECT_EQ(trace().streams()[s].metadata.common->require.at("mpi"), "1.3.0");
    }
}

TEST_F(Shared, StreamsThatDoNotRunYetAreNoOlderTrace) {
    run_app("late");
    ASSERT_EQ(trace().streams().size(), 2u);
    for (uint32_t s = 0; s < 2; ++s) EXPECT_EQ(story_of(trace(), s), work + " MUf MUF");
    EXPECT_FALSE(std::filesystem::exists(path("ovni.1")));
}

TEST_F(Shared, ProgramTakesOurStreamsOver) {
    run_app("after");
    ASSERT_EQ(trace().streams().size(), 2u);
    for (uint32_t s = 0; s < 2; ++s) EXPECT_EQ(story_of(trace(), s), "MUt MUT " + work + " MUf MUF");
}

TEST_F(Shared, ThreadsWithoutAStreamGetOneInTheProgramsLoom) {
    run_app("threads");
    Trace trace = this->trace();
    ASSERT_EQ(trace.streams().size(), 4u);
    for (uint32_t s = 0; s < 4; ++s) {
        bool is_main = trace.streams()[s].metadata.tid == trace.streams()[s].metadata.process->pid;
        EXPECT_EQ(story_of(trace, s), is_main ? "MUt MUT gap end MUf MUF" : work);
    }
}

TEST_F(Shared, ProgramMayEndItsStreamBeforeFinalize) {
    run_app("early");
    ASSERT_EQ(trace().streams().size(), 2u);
    for (uint32_t s = 0; s < 2; ++s) EXPECT_EQ(story_of(trace(), s), "MUt MUT " + work);
}

}  // namespace ovni::test
