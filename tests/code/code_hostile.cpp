// Programs that leave the tracer little room do with alarms on code what they do without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/code/controlled.hpp"

namespace ovni::test {

namespace {

using testing::Each;
using testing::SizeIs;

class HostilePrograms : public ControlledProgram {
 protected:
    static constexpr const char* target = BUILD_DIR "/tests/code_hostile_target";
    static constexpr bool is_sanitized = !std::string_view(OVNI_SANITIZE).empty();
};

TEST_F(HostilePrograms, ProgramsDoWhatTheyDoWithoutAlarms) {
    const char* chains[] = {"start:itext:c3:count10,stop:itext:c3,repeat",
                            "start:icount:200,stop:icount:200,repeat",
                            "uniform:20000:10000:50",
                            "start:isa-category:ret:count5,stop:isa-category:ret,repeat",
                            "start:enter_func:hot,stop:exit_func:hot,repeat",
                            "threadid:enter_func:deep,repeat",
                            "start:enter_func:malloc,stop:enter_func:free,repeat",
                            "start:timeout:0.01,stop:timeout:0.01,repeat"};
    for (const char* work : {"forks", "vforks", "creates", "overflows", "blocked_trap", "confined", "cancels",
                             "main_ends_first", "has_another_root"}) {
        if (is_sanitized && std::string_view(work) == "overflows") continue;
        const Finished untouched = run({target, work});
        ASSERT_EQ(untouched.status, 0) << work;
        for (const char* chain : chains) {
            const Finished done = controlled({chain}, {target, work});
            EXPECT_EQ(done.status, 0) << work << " " << chain << done.err;
            EXPECT_EQ(done.out, untouched.out) << work << " " << chain;
        }
    }
}

// Their instructions are those of the program, and events come when it is over.
TEST_F(HostilePrograms, ForksAreHeardOf) {
    controlled({"threadid:address:_Fork,repeat"}, {target, "forks"});
    EXPECT_THAT(fired(), SizeIs(testing::Ge(20u)));
}

// The tracer's own thread has no number, and no instruction of it counts.
TEST_F(HostilePrograms, SamplesAreOfTheirThreads) {
    for (int i = 0; i < 5; ++i) {
        controlled({"uniform:500:100:50"}, {"--control-accuracy", "exact", target, "blocked_trap"});
        EXPECT_THAT(fired(), SizeIs(testing::Ge(20u)));
        EXPECT_THAT(threads_that_fired(), Each("0"));
    }
}

}  // namespace

}  // namespace ovni::test
