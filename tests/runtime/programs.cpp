// Programs of their own, in C11 and C++, linked with libovni as users do.
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

class ProgramTest : public RuntimeTest {
 protected:
    Finished run_program(const std::string& name, std::vector<std::string> environment = {}) {
        return run_words({BUILD_DIR "/tests/" + name}, std::move(environment));
    }
    Finished run_words(const std::vector<std::string>& words, std::vector<std::string> environment = {}) {
        environment.push_back("OVNI_TRACEDIR=" + trace().string());
        environment.push_back("OVNI_RUNDIR=" + home().string());
        return run(words, environment);
    }
    // One stream with what both images recorded, each between its beginning and end.
    void expect_both_images() {
        RecordedStream recorded = stream();
        ASSERT_EQ(recorded.events.size(), 2004u);
        for (size_t i = 0; i < recorded.events.size(); ++i) {
            size_t in_image = i % 1002;
            const RecordedEvent& event = recorded.events[i];
            ASSERT_EQ(event.code, in_image == 0 ? "OHx" : in_image == 1001 ? "OHe" : "OB.") << i;
            if (event.code == "OB.") {
                ASSERT_EQ(event.argument<int>(0), static_cast<int>(in_image - 1 + i / 1002 * 1000));
            }
        }
        EXPECT_TRUE(recorded.clocks_never_decrease());
        EXPECT_EQ(recorded.json["ovni"]["finished"], 1);
        Finished done = run({program("ovniemu"), "-l", "-o", (home() / "out").string(), trace().string()});
        EXPECT_EQ(done.status, 0) << done.err;
        for (const auto& place : std::filesystem::directory_iterator(home()))
            if (place.path().filename().string().starts_with("ovni-")) {
                EXPECT_TRUE(std::filesystem::is_empty(place.path()));
            }
    }
};

TEST_F(ProgramTest, TheStreamGoesOnAfterExec) {
    Finished finished = run_program("runtime_exec_target");
    EXPECT_EQ(finished.status, 0) << finished.err;
    expect_both_images();
}

TEST_F(ProgramTest, TheStreamGoesOnAfterExecBelowOvnirun) {
    Finished finished = run_words({program("ovnirun"), BUILD_DIR "/tests/runtime_exec_target"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    expect_both_images();
}

TEST_F(ProgramTest, AProgramInC11IsRecorded) {
    Finished finished = run_program("runtime_c_program");
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(codes(), "OHx OM[ OM] OHe");
    EXPECT_EQ(stream().json["ovni"]["loom"], "node.c");
}

TEST_F(ProgramTest, AProgramInCxxIsRecorded) {
    Finished finished = run_program("runtime_cxx_program");
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(codes(), "OHx OB. OHe");
}

TEST_F(ProgramTest, ClockHookMovesTheClock) {
    uint64_t before = ovni_clock_now();
    run_program("runtime_cxx_program", {"OVNI_TEST_CLOCK=1000000000000000000:0:0"});
    EXPECT_GE(stream().events[0].clock, before + 1000000000000000000u);
}

}  // namespace
}  // namespace ovni::test
