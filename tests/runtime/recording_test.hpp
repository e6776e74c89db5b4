// Recording off and on again: what programs do, and what their traces must keep to.
#pragma once

#include <gmock/gmock.h>

#include "ovni/control.h"
#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/runtime/ours.hpp"

namespace ovni::test {

inline void pause() {
    ovni_private_pause(1);
}
inline void go_on() {
    ovni_private_pause(0);
}

// Does what libovni-mpi does, which makes the gate follow states.
inline void no_states_of_mpi(int, uint64_t) {}
inline void follow() {
    ovni_private_follow_recording(no_states_of_mpi);
}

inline void begin_program(pid_t tid = test_tid, bool follows = true) {
    if (follows) follow();
    start(tid);
    ovni_thread_require("nosv", "2.4.0");
    ovni_add_cpu(0, 0);
    emit("OHx", int32_t{0}, int32_t{-1}, uint64_t{0});
}
inline void end_program() {
    emit("OHe");
    stop();
}

struct Interval {
    uint64_t from, to;
};

class RecordingTest : public RuntimeTest {
 protected:
    enum class Linter { on, off };
    void expect_accepted(Linter linter = Linter::on) {
        std::string option = linter == Linter::on ? "-l" : "--";
        Finished done = run({program("ovniemu"), "-o", (home() / "out").string(), option, trace().string()});
        EXPECT_EQ(done.status, 0) << done.err;
        // It needed no tolerance.
        EXPECT_THAT(done.err, ::testing::Not(::testing::HasSubstr("before it")));
    }
    static std::vector<Interval> intervals(const RecordedStream& stream) {
        std::vector<Interval> found;
        if (!std::filesystem::exists(stream.directory / "stream.gaps.json")) return found;
        for (const auto& gap : stream.gaps["gaps"])
            found.push_back({gap["from"], gap.contains("to") ? gap["to"].get<uint64_t>() : UINT64_MAX});
        return found;
    }
    // No event but those that are never gated lies inside of a gap.
    static void expect_nothing_in_gaps(const RecordedStream& stream) {
        for (const Interval& gap : intervals(stream))
            for (const RecordedEvent& event : stream.events) {
                bool is_always =
                    event.code.starts_with("OH") || event.code.starts_with("OA") || event.code == "VTc";
                bool is_inside = event.clock > gap.from && event.clock < gap.to;
                EXPECT_FALSE(is_inside && !is_always) << event.code;
            }
    }
};

}  // namespace ovni::test
