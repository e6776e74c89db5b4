// A million locks in ten threads, with cancellation and signals: no result changes.
#include "tests/pthread/traced_threads.hpp"

namespace ovni::test {
namespace {

class Stressed : public TracedThreads, public ::testing::WithParamInterface<const char*> {};

TEST_P(Stressed, ResultsAreTheSame) {
    const std::string expected = "counted 1000000\ncancelled 300\nmutex is free 0\n";
    Finished plain = run({target("pthread_stress")});
    EXPECT_EQ(plain.out, expected);
    Finished done = traced(GetParam(), {target("pthread_stress")});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, expected);
    EXPECT_EQ(has_waits(), GetParam() != std::string("off"));
    expect_accepted();
}

INSTANTIATE_TEST_SUITE_P(In, Stressed, ::testing::Values("off", "contended", "all"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ovni::test
