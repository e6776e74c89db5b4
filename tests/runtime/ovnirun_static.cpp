// Programs that no library can be loaded into run as ever, and ovnirun says why there is no trace.
#include <sys/stat.h>

#include <filesystem>

#include "tests/runtime/ovnirun_test.hpp"

namespace ovni::test {
namespace {

const std::string static_program = BUILD_DIR "/tests/runtime_static_program";

class Static : public Launched {
 protected:
    // A companion that is detached ends after the program.
    static std::string said_by_parent() { return in_parent() ? nothing_recorded : ""; }
    void SetUp() override {
        if (!std::filesystem::exists(static_program)) GTEST_SKIP() << "there is no static C library";
    }
    static std::string line(const std::string& name) {
        return "ovnirun: " + name +
               " is linked statically, so nothing of it is recorded: link it without -static\n";
    }
    void expect_run(const Words& words, const std::string& said, const Words& environment = {}) {
        Finished done = run(launch(words), environment);
        EXPECT_EQ(done.status, 5);
        EXPECT_EQ(done.out, "static\n");
        EXPECT_EQ(done.err, GetParam().empty() ? "" : said);
        EXPECT_FALSE(std::filesystem::exists(path("ovni")));
    }
};
INSTANTIATE_TEST_SUITE_P(By, Static, all_launchers(), launcher_name);

TEST_P(Static, StaticProgramsRunWithoutATrace) {
    expect_run({static_program}, line(static_program));
}

TEST_P(Static, StaticProgramsAreFoundInThePath) {
    std::string path = std::string("PATH=/nowhere:") + BUILD_DIR "/tests:" + std::getenv("PATH");
    expect_run({"runtime_static_program"}, line("runtime_static_program"), {path});
}

TEST_P(Static, StaticProgramsAreReportedOncePerJob) {
    expect_run({static_program}, "", {"OMPI_COMM_WORLD_RANK=3"});
}

TEST_P(Static, OtherProgramsAreNotTakenForStatic) {
    std::string loader = "/lib64/ld-linux-x86-64.so.2";
    if (std::filesystem::exists(loader)) {
        EXPECT_EQ(run(launch({loader, "/bin/true"})).err, said_by_parent());
    }
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0700), 0);
    if (!GetParam().empty()) {
        EXPECT_EQ(run(launch({path("pipe")})).status, 126);
    }
    std::ofstream(path("script")) << "#!" << static_program << "\n";
    std::filesystem::permissions(path("script"), std::filesystem::perms::owner_all);
    expect_run({path("script")}, said_by_parent());
    EXPECT_EQ(run(launch({"true"})).err, said_by_parent());
}

}  // namespace
}  // namespace ovni::test
