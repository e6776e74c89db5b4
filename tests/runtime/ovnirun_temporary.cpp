// Many processes at once whose streams begin below one OVNI_TMPDIR, which each of them tidies up.
#include <filesystem>

#include "tests/runtime/ovnirun_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

class Temporary : public OvnirunTest, public ::testing::WithParamInterface<Words> {
 protected:
    // Returns what they print on stderr.
    std::string run_at_once(int processes) const {
        std::vector<Finished> finished(static_cast<size_t>(processes));
        std::vector<std::thread> team;
        for (Finished& one : finished)
            team.emplace_back([&] {
                one = run(GetParam() + Words{BUILD_DIR "/tests/runtime_c_program"},
                          {"OVNI_TMPDIR=" + path("tmp"), "OVNI_RUNDIR=" + path("run"), "OVNI_APPEND=1"});
            });
        for (std::thread& thread : team) thread.join();
        std::string printed;
        for (const Finished& one : finished) printed += one.err + (one.status == 0 ? "" : "failed\n");
        return printed;
    }
    // Whole ones: all that a stream is made of.
    int streams() const {
        int streams = 0;
        for (const auto& entry : fs::recursive_directory_iterator(path("ovni")))
            if (entry.path().filename() == "stream.json")
                streams += fs::file_size(entry.path().parent_path() / "stream.obs") > 50;
        return streams;
    }
};
INSTANTIATE_TEST_SUITE_P(By, Temporary, ::testing::Values(Words{}, Words{program("ovnirun")}), launcher_name);

TEST_P(Temporary, ProcessesThatEndTakeNoTemporaryDirectoryFromOthers) {
    constexpr int processes = 8, rounds = 5;
    fs::create_directory(path("run"));
    fs::create_directory(path("tmp"));
    for (int round = 1; round <= rounds; ++round) {
        EXPECT_EQ(run_at_once(processes), "");
        EXPECT_EQ(streams(), processes) << "in round " << round;
        EXPECT_TRUE(fs::is_directory(path("tmp")));
        EXPECT_TRUE(fs::is_empty(path("tmp")));
        fs::remove_all(path("ovni"));
    }
}

}  // namespace
}  // namespace ovni::test
