// SIGKILL at random moments: of the program, of ovnirun, of both. What was acknowledged is in the trace, at
// the latest after ovnirecover. OVNI_KILL_ROUNDS says how many of each (scripts/soak).
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "ring/ring.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

constexpr int threads = 2;
constexpr const char* kill_target = BUILD_DIR "/tests/runtime_kill_target";

enum class Victim { program, ovnirun, both, program_alone };

class KillTest : public RuntimeTest, public testing::WithParamInterface<Victim> {
 protected:
    void SetUp() override { unsetenv("OVNI_SESSION"); }

    // Starts the program, in a process group of its own; its pid, and where it counts.
    void start_target(bool below_ovnirun) {
        fs::remove_all(trace());
        fs::remove(acknowledged());
        std::string count = std::to_string(threads), run = program("ovnirun");
        parent_ = fork();
        ASSERT_GE(parent_, 0);
        if (parent_ == 0) {
            setenv("OVNI_TRACEDIR", trace().c_str(), 1);
            setenv("OVNI_RUNDIR", home().c_str(), 1);
            if (below_ovnirun)
                execl(run.c_str(), "ovnirun", kill_target, acknowledged().c_str(), count.c_str(), nullptr);
            else
                execl(kill_target, "kill_target", acknowledged().c_str(), count.c_str(), nullptr);
            _exit(127);
        }
        while (numbers()[pid_at] == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        target_ = static_cast<pid_t>(numbers()[pid_at]);
    }

    void kill_after_a_while(Victim victim) {
        std::this_thread::sleep_for(std::chrono::microseconds(random_() % 100'000));
        if (victim != Victim::program && victim != Victim::program_alone) kill(parent_, SIGKILL);
        if (victim == Victim::ovnirun) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        kill(target_, SIGKILL);
        waitpid(parent_, nullptr, 0);
        // A grandchild is not ours to wait for.
        while (writer::start_of_process(target_) != 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    void recover_all() {
        Finished done = recover();
        EXPECT_EQ(done.status, 0) << done.err;
    }

    // What the program has counted; zeros where it has not begun.
    static constexpr size_t pid_at = 0, line = 8;
    std::array<uint64_t, line*(threads + 1)> numbers() const {
        std::array<uint64_t, line*(threads + 1)> read{};
        std::string bytes = file_content(acknowledged());
        memcpy(read.data(), bytes.data(), std::min(bytes.size(), sizeof read));
        return read;
    }
    fs::path acknowledged() const { return home() / "acknowledged"; }

    void expect_all_there() {
        auto counted = numbers();
        std::vector<RecordedStream> all = streams();
        ASSERT_LE(all.size(), static_cast<size_t>(threads));
        uint64_t acknowledged = 0, recorded = 0;
        for (size_t t = 0; t < threads; ++t) acknowledged += counted[line * (t + 1)];
        for (const RecordedStream& stream : all) {
            auto thread = stream.json["ovni"]["tid"].get<size_t>() - static_cast<size_t>(target_);
            uint64_t expected = 0;
            for (const RecordedEvent& event : stream.events) {
                if (event.code != "OB.") continue;
                ASSERT_EQ(event.argument<uint64_t>(0), ++expected)
                    << "at byte " << event.offset << ' ' << stream.json << ' ' << stream.gaps;
            }
            EXPECT_GE(expected, counted[line * (thread + 1)]);
            EXPECT_LE(expected, counted[line * (thread + 1)] + 1);
            EXPECT_TRUE(stream.clocks_never_decrease());
            EXPECT_EQ(stream.json["ovni"]["finished"], 1);
            EXPECT_TRUE(stream.json["ovni"].contains("end"));
            recorded += expected;
        }
        EXPECT_GE(recorded, acknowledged);
        acknowledged_ += acknowledged;
        recorded_ += recorded;
        if (all.empty()) return;
        Finished done = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
        EXPECT_EQ(done.status, 0) << done.err;
    }

    void tell(int rounds) const {
        std::printf("%d kills, %lu events acknowledged, %lu in the traces\n", rounds, acknowledged_,
                    recorded_);
    }

    // Of a process that was killed while it made its run directory, there is one without rings.
    void expect_no_rings() {
        // Directories may go while we look.
        std::error_code gone;
        for (fs::recursive_directory_iterator file(home(), gone), end; !gone && file != end;
             file.increment(gone))
            EXPECT_FALSE(file->path().filename().string().starts_with("ring.")) << file->path();
    }

 private:
    pid_t parent_ = 0, target_ = 0;
    uint64_t acknowledged_ = 0, recorded_ = 0;  // events, of all rounds
    std::mt19937 random_{std::random_device()()};
};

TEST_P(KillTest, LosesNothingThatWasAcknowledged) {
    const char* wanted = getenv("OVNI_KILL_ROUNDS");
    const int rounds = wanted ? atoi(wanted) : 3;
    for (int round = 0; round < rounds; ++round) {
        start_target(GetParam() != Victim::program_alone);
        kill_after_a_while(GetParam());
        if (GetParam() != Victim::program) recover_all();
        expect_all_there();
        expect_no_rings();
    }
    tell(rounds);
}

std::string victim_name(const testing::TestParamInfo<Victim>& victim) {
    constexpr const char* names[] = {"Program", "Ovnirun", "Both", "ProgramAlone"};
    return names[static_cast<size_t>(victim.param)];
}

INSTANTIATE_TEST_SUITE_P(Victims, KillTest,
                         testing::Values(Victim::program, Victim::ovnirun, Victim::both,
                                         Victim::program_alone),
                         victim_name);

}  // namespace
}  // namespace ovni::test
