// Tracing changes nothing of what the functions of POSIX threads do: the cases print equal lines, and end
// with equal statuses, with and without the tracer.
#include "tests/pthread/traced_threads.hpp"

namespace ovni::test {
namespace {

using Case = std::tuple<const char*, const char*>;

class Conformance : public TracedThreads, public ::testing::WithParamInterface<Case> {};

TEST_P(Conformance, ResultsAreTheSame) {
    const auto [cases, mode] = GetParam();
    const std::string name = target(std::string("pthread_cases_") + cases);
    Finished plain = run({name}), with = traced(mode, {name});
    EXPECT_EQ(plain.status, 0);
    EXPECT_EQ(with.status, plain.status) << with.err;
    EXPECT_FALSE(plain.out.empty());
    EXPECT_EQ(sorted_lines(with.out), sorted_lines(plain.out));
    EXPECT_EQ(has_waits(), mode != std::string("off"));
    expect_accepted();
}

INSTANTIATE_TEST_SUITE_P(Of, Conformance,
                         ::testing::Combine(::testing::Values("allocator", "conditions", "locks", "moments",
                                                              "mutexes", "semaphores", "threads"),
                                            ::testing::Values("off", "contended", "all")),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
                         });

}  // namespace
}  // namespace ovni::test
