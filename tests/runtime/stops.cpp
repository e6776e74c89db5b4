// Programs that stop while others of their job go on.
#include <signal.h>

#include <array>

#include "tests/runtime/runtime_test.hpp"
#include "tests/support/started.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

class StopTest : public RuntimeTest {
 protected:
    // The pid of runtime_kill_target, and what it has counted in its only thread.
    std::array<uint64_t, 9> numbers() const {
        std::array<uint64_t, 9> read{};
        std::string bytes = file_content(home() / "acknowledged");
        memcpy(read.data(), bytes.data(), std::min(bytes.size(), sizeof read));
        return read;
    }
    uint64_t counted() const { return numbers()[8]; }
    // Many times what fits into its ring.
    bool goes_on() const {
        constexpr uint64_t more = 1'000'000;
        uint64_t before = counted();
        for (int wait = 0; wait < 2000 && counted() < before + more; ++wait) usleep(10'000);
        return counted() >= before + more;
    }
};

TEST_F(StopTest, AChildOfAStoppedProgramIsDrained) {
    setenv("OVNI_RUNDIR", home().c_str(), 1);
    std::string target = BUILD_DIR "/tests/runtime_kill_target " + (home() / "acknowledged").string() + " 1";
    Started job(
        {program("ovnirun"), "-o", trace().string(), "bash", "-c", target + " & echo $$; wait $!; exit 4"});
    pid_t stopped = std::stoi(job.line());
    EXPECT_TRUE(goes_on());
    kill(stopped, SIGSTOP);
    EXPECT_EQ(WSTOPSIG(job.wait(WUNTRACED)), SIGSTOP);
    EXPECT_TRUE(goes_on());
    // Now by ovnirun again, as soon as nobody else does.
    job.send_to_group(SIGCONT);
    EXPECT_TRUE(goes_on());
    kill(static_cast<pid_t>(numbers()[0]), SIGKILL);
    EXPECT_EQ(WEXITSTATUS(job.wait()), 4);
    uint64_t expected = 0;
    for (const RecordedEvent& event : stream().events)
        if (event.code == "OB.") {
            ASSERT_EQ(event.argument<uint64_t>(0), ++expected);
        }
    EXPECT_GE(expected, counted());
    EXPECT_EQ(stream().json["ovni"]["finished"], 1);
    unsetenv("OVNI_RUNDIR");
}

}  // namespace
}  // namespace ovni::test
