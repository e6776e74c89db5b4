// Programs of their own, in C11 and C++, linked with libovni as users do.
#include "runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

class ProgramTest : public RuntimeTest {
 protected:
    Finished run_program(const std::string& name, std::vector<std::string> environment = {}) {
        environment.push_back("OVNI_TRACEDIR=" + trace().string());
        return run({BUILD_DIR "/tests/" + name}, environment);
    }
};

TEST_F(ProgramTest, InC11) {
    Finished finished = run_program("runtime_c_program");
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(codes(), "OHx OM[ OM] OHe");
    EXPECT_EQ(stream().json["ovni"]["loom"], "node.c");
}

TEST_F(ProgramTest, InCxx) {
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
