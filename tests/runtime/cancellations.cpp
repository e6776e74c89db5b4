// Threads that are cancelled while they emit, at any instruction.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "ovni/emit.hpp"
#include "ring/event.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

class CancellationTest : public RuntimeTest {
 protected:
    // Nothing holds it up: a hang is killed after a minute.
    Finished run_target(std::vector<std::string> environment) {
        environment.push_back("OVNI_TRACEDIR=" + trace().string());
        environment.push_back("OVNI_RUNDIR=" + home().string());
        return run({BUILD_DIR "/tests/runtime_cancel_target", "16", "6"}, environment);
    }
};

uint64_t lost_in_gaps(const RecordedStream& recorded) {
    uint64_t lost = 0;
    if (recorded.gaps.is_object())
        for (const auto& gap : recorded.gaps["gaps"]) lost += gap.value("lost", uint64_t{0});
    return lost;
}

// The numbers of one code begin with 1 and grow. Returns how many there are.
uint64_t count_growing(const RecordedStream& recorded, const std::string& code) {
    uint64_t count = 0, last = 0;
    for (const RecordedEvent& event : recorded.events) {
        if (event.code != code) continue;
        EXPECT_GT(event.argument<uint64_t>(0), last) << recorded.directory;
        last = event.argument<uint64_t>(0);
        ++count;
    }
    return count;
}

TEST_F(CancellationTest, AThreadCancelledAtAnyInstructionLosesNothingElse) {
    if (below_tsan) GTEST_SKIP() << "ThreadSanitizer finds fault with threads cancelled in its own functions";
    Finished finished = run_target({});
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(finished.err, "");
    std::vector<RecordedStream> all = streams();
    std::map<int, const RecordedStream*> recorded;
    for (const RecordedStream& stream : all) recorded[stream.json["ovni"]["tid"]] = &stream;
    std::istringstream told(finished.out);
    uint64_t emitted = 0, cleaned = 0;
    for (int tid = 0; told >> tid >> emitted >> cleaned;) {
        ASSERT_TRUE(recorded.contains(tid)) << tid;
        const RecordedStream& stream = *recorded.at(tid);
        uint64_t found = count_growing(stream, tid % 4 == 0 ? "OB." : "OU."),
                 found_cleaned = count_growing(stream, "OC.");
        EXPECT_GE(found + found_cleaned + lost_in_gaps(stream), emitted + cleaned) << tid;
        EXPECT_LE(found_cleaned, cleaned) << tid;
        EXPECT_LE(found, emitted + 1) << tid;
        EXPECT_TRUE(stream.clocks_never_decrease()) << tid;
        EXPECT_EQ(stream.json["ovni"]["finished"], 1) << tid;
    }
    ASSERT_TRUE(recorded.contains(1));
    count_growing(*recorded.at(1), "OD.");
    EXPECT_EQ(lost_in_gaps(*recorded.at(1)), 0u);
}

[[gnu::noinline]] void emit_in_handler_of_cut_emission(int events) {
    for (int i = 0; i < events; ++i) emit("OC.", i);
}

// The thread is left as if it had been cancelled between the stores of `head` and of `published`.
TEST_F(CancellationTest, AnEmissionCutBeforeItIsPublishedHidesNoHandler) {
    if (const char* mode = std::getenv("OVNI_BUFFER_MODE"); mode && std::string(mode) == "shared")
        GTEST_SKIP() << "threads store no events in a ring there";
    run_traced([] {
        start();
        emit("OB.", uint64_t{1});
        ovni_private_window& window = *ovni_private_thread_window;
        const writer::Event cut = writer::make_event("OB.", ovni_clock_now(), uint64_t{2});
        std::memcpy(window.data + window.head, cut.bytes, cut.size);
        detail::set_busy(window, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
        window.head += cut.size;
        emit_in_handler_of_cut_emission(20);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(count_growing(stream(), "OB."), 1u);
    EXPECT_EQ(std::ranges::count(stream().events, "OC.", &RecordedEvent::code), 20);
}

}  // namespace
}  // namespace ovni::test
