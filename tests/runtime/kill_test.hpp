// All that a killed program had acknowledged is in the trace, at the latest after ovnirecover, and the
// emulator takes the trace.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {

class KilledJobTest : public RuntimeTest {
 protected:
    static constexpr int threads = 2;
    static constexpr const char* kill_target = BUILD_DIR "/tests/runtime_kill_target";
    enum class Below : uint8_t { nothing, ovnirun };

    void SetUp() override { unsetenv("OVNI_SESSION"); }

    void begin_anew() const {
        std::filesystem::remove_all(trace());
        std::filesystem::remove(acknowledged());
        std::filesystem::remove_all(run_directories());
    }
    // Executes the program, which emits without end, or so many events per thread.
    [[noreturn]] void execute_target(Below below, const std::string& events = "0") const {
        std::string count = std::to_string(threads), run = program("ovnirun");
        setenv("OVNI_TRACEDIR", trace().c_str(), 1);
        setenv("OVNI_RUNDIR", home().c_str(), 1);
        if (below == Below::ovnirun)
            execl(run.c_str(), "ovnirun", kill_target, acknowledged().c_str(), count.c_str(), events.c_str(),
                  nullptr);
        else
            execl(kill_target, "kill_target", acknowledged().c_str(), count.c_str(), events.c_str(), nullptr);
        _exit(127);
    }
    void wait_for_target() {
        while (numbers()[pid_at] == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    pid_t target() const { return static_cast<pid_t>(numbers()[pid_at]); }

    void recover_all() {
        Finished done = recover();
        EXPECT_EQ(done.status, 0) << done.err;
    }

    // The numbers that the program has counted; zeros if it has not begun.
    static constexpr size_t pid_at = 0, line = 8;
    std::array<uint64_t, line*(threads + 1)> numbers() const {
        std::array<uint64_t, line*(threads + 1)> read{};
        std::string bytes = file_content(acknowledged());
        memcpy(read.data(), bytes.data(), std::min(bytes.size(), sizeof read));
        return read;
    }
    std::filesystem::path run_directories() const { return home() / ("ovni-" + std::to_string(geteuid())); }
    std::filesystem::path acknowledged() const { return home() / "acknowledged"; }

    void expect_all_there() {
        auto counted = numbers();
        std::vector<RecordedStream> all = streams();
        ASSERT_LE(all.size(), static_cast<size_t>(threads));
        uint64_t acknowledged = 0, recorded = 0;
        for (size_t t = 0; t < threads; ++t) acknowledged += counted[line * (t + 1)];
        for (const RecordedStream& stream : all) {
            auto thread = stream.json["ovni"]["tid"].get<size_t>() - static_cast<size_t>(target());
            ASSERT_LT(thread, static_cast<size_t>(threads)) << stream.json;
            recorded += expect_counted(stream, counted[line * (thread + 1)]);
        }
        EXPECT_GE(recorded, acknowledged);
        acknowledged_ += acknowledged;
        recorded_ += recorded;
        if (!std::filesystem::exists(trace())) return;
        Finished done =
            run({program("ovniemu"), "--empty-ok", "-o", (home() / "out").string(), trace().string()});
        EXPECT_EQ(done.status, 0) << done.err;
    }

    // A process that was killed while it made its run directory leaves one without rings.
    void expect_no_rings() {
        // Directories may go while we look.
        std::error_code gone;
        for (std::filesystem::recursive_directory_iterator file(home(), gone), end; !gone && file != end;
             file.increment(gone))
            EXPECT_FALSE(file->path().filename().string().starts_with("ring.")) << file->path();
    }

    void tell(int kills) const {
        std::printf("%d kills, %lu events acknowledged, %lu in the traces\n", kills, acknowledged_,
                    recorded_);
    }

 private:
    // The number of events in the stream.
    static uint64_t expect_counted(const RecordedStream& stream, uint64_t counted) {
        uint64_t found = 0;
        for (const RecordedEvent& event : stream.events) {
            if (event.code != "OB.") continue;
            EXPECT_EQ(event.argument<uint64_t>(0), found + 1)
                << "at byte " << event.offset << ' ' << stream.json << ' ' << stream.gaps;
            if (event.argument<uint64_t>(0) != ++found) break;
        }
        EXPECT_GE(found, counted);
        EXPECT_LE(found, counted + 1);
        EXPECT_TRUE(stream.clocks_never_decrease());
        EXPECT_EQ(stream.json["ovni"]["finished"], 1);
        const bool has_ended = !stream.events.empty() && stream.events.back().code == "OHe";
        EXPECT_TRUE(has_ended || stream.json["ovni"].contains("end"));
        return found;
    }

    uint64_t acknowledged_ = 0, recorded_ = 0;  // events, of all rounds
};

}  // namespace ovni::test
