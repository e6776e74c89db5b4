// Programs that end, or change, while their threads wait: the emulator takes their traces.
#include <gmock/gmock.h>

#include "tests/pthread/traced_threads.hpp"

namespace ovni::test {
namespace {

using ::testing::HasSubstr;

constexpr int killed = 128 + 9, exited = 5;

class Ending : public TracedThreads, public ::testing::WithParamInterface<const char*> {
 protected:
    Finished ended(const Words& words) const {
        return traced(GetParam(), Words{target("pthread_ends")} + words);
    }
    // Lines of `code` in the dump.
    static long count(const std::string& text, const std::string& code) {
        long lines = 0;
        for (size_t at = text.find("  " + code + "  "); at != text.npos;
             at = text.find("  " + code + "  ", at + 1))
            ++lines;
        return lines;
    }
};
INSTANTIATE_TEST_SUITE_P(In, Ending, ::testing::Values("contended", "all"),
                         [](const auto& test) { return test.param; });

TEST_P(Ending, AKillLeavesAnAcceptedTrace) {
    EXPECT_EQ(ended({"kill"}).status, killed);
    expect_accepted();
    const std::string text = dump();
    EXPECT_EQ(count(text, "HM["), 1);
    EXPECT_EQ(count(text, "HM]"), 0);
    EXPECT_EQ(count(text, "HC["), 1);
}

TEST_P(Ending, AnExitLeavesAnAcceptedTrace) {
    EXPECT_EQ(ended({"exit"}).status, exited);
    expect_accepted();
    EXPECT_EQ(count(dump(), "HC["), 1);
}

TEST_P(Ending, AnExecLeavesAnAcceptedTrace) {
    EXPECT_EQ(ended({"exec", target("pthread_ends"), "exit"}).status, exited);
    expect_accepted();
    EXPECT_EQ(count(dump(), "HC["), 2);
}

TEST_P(Ending, AForkGoesOn) {
    Finished done = ended({"fork"});
    EXPECT_EQ(done.status, exited);
    EXPECT_EQ(done.out, "child 7\n");
    expect_accepted();
    const std::string text = dump();
    EXPECT_GE(count(text, "HM["), 2) << text;
    EXPECT_GE(count(text, "HC["), 2) << text;
}

// The streams of the child name the model and define their objects, as those of its parent do.
TEST_P(Ending, ARawForkGoesOn) {
    const Finished done = ended({"raw"});
    ASSERT_EQ(done.status, 0) << done.err;
    expect_accepted();
    const int child = std::stoi(done.out);
    int streams = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(trace())) {
        if (entry.path().filename() != "stream.json") continue;
        const nlohmann::json about = nlohmann::json::parse(std::ifstream(entry.path()));
        if (about.at("ovni").at("pid") != child || about.at("ovni").at("tid") != child) continue;
        ++streams;
        EXPECT_TRUE(about.at("ovni").at("require").contains("pthread"));
        const std::string text = run({program("ovnidump"), entry.path().parent_path()}, {}, 120).out;
        EXPECT_EQ(count(text, "HM["), 1) << text;
        EXPECT_EQ(count(text, "HMd"), 1) << text;
        EXPECT_LT(text.find("HMd"), text.find("HM[")) << text;
    }
    EXPECT_EQ(streams, 1);
}

TEST_P(Ending, LibrariesAreUnloaded) {
    EXPECT_EQ(ended({"dlclose", target("pthread_plugin.so")}).status, 0);
    expect_accepted();
    EXPECT_THAT(dump(), HasSubstr("plugin_lock"));
}

}  // namespace
}  // namespace ovni::test
