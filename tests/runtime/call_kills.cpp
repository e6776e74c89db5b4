// SIGKILL before and behind the first, second, third ... system call of a kind: of the program, of ovnirun,
// which drains, and of ovnirecover. OVNI_CALL_KILLS says at how many calls of each kind, OVNI_FIRST_CALL_KILL
// at which the first one is (scripts/soak).
#include <sys/wait.h>

#include <algorithm>

#include "tests/runtime/followed_job.hpp"
#include "tests/runtime/kill_test.hpp"

namespace ovni::test {
namespace {

enum class Follows : uint8_t { program, program_alone, drainer, ovnirecover };
constexpr const char* follows_names[] = {"Program", "ProgramAlone", "Drainer", "Ovnirecover"};

using Parameter = std::tuple<Follows, CallKind>;

class CallKillTest : public KilledJobTest, public testing::WithParamInterface<Parameter> {
 protected:
    using End = FollowedJob::End;

    void SetUp() override {
        KilledJobTest::SetUp();
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
        GTEST_SKIP() << "sanitizers do not work below ptrace";
#endif
        // The smallest: then the drainer has much to do.
        setenv("OVNI_BUFFER", "256k", 1);
    }
    void TearDown() override {
        unsetenv("OVNI_BUFFER");
    }

    FollowedJob::Result kill_at(uint64_t nth, CallMoment moment) {
        begin_anew();
        const auto [follows, kind] = GetParam();
        const FollowedJob::Choice choice{kind, nth, moment, home()};
        if (follows == Follows::ovnirecover) return recover_until(choice);
        const Below below = follows == Follows::program_alone ? Below::nothing : Below::ovnirun;
        const FollowedJob::Victim victim{follows == Follows::drainer ? "ovnirun" : "runtime_kill_target",
                                         follows != Follows::program};
        return FollowedJob::run([&] { execute_target(below, events); }, victim, choice);
    }

    static uint64_t number_from(const char* variable, uint64_t otherwise) {
        const char* given = getenv(variable);
        return given ? strtoull(given, nullptr, 10) : otherwise;
    }
    bool was_followed_ = false;

 private:
    static constexpr const char* events = "40000";  // more than there is room for

    FollowedJob::Result recover_until(const FollowedJob::Choice& choice) {
        leave_to_recover();
        std::string path = program("ovnirecover");
        return FollowedJob::run(
            [&] {
                setenv("OVNI_RUNDIR", home().c_str(), 1);
                execl(path.c_str(), "ovnirecover", "--all", "--yes", nullptr);
            },
            {"ovnirecover", true}, choice);
    }

    void leave_to_recover() {
        pid_t child = fork();
        if (child == 0) execute_target(Below::nothing);
        while (std::ranges::min(numbers()[line], numbers()[2 * line]) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
};

TEST_P(CallKillTest, LosesNothingThatWasAcknowledged) {
    int kills = 0;
    auto is_killed_at = [&](uint64_t nth, CallMoment moment) {
        const auto [end, file] = kill_at(nth, moment);
        if (end == End::not_followed) return false;
        SCOPED_TRACE((moment == CallMoment::before ? "before call " : "behind call ") + std::to_string(nth) +
                     ", " + file);
        recover_all();
        expect_all_there();
        expect_no_rings();
        kills += end == End::killed ? 1 : 0;
        was_followed_ = true;
        return end == End::killed && !HasFailure();
    };
    const uint64_t first = number_from("OVNI_FIRST_CALL_KILL", 1);
    const uint64_t calls = number_from("OVNI_CALL_KILLS", 4);
    for (uint64_t nth = first; nth < first + calls; ++nth)
        if (!is_killed_at(nth, CallMoment::before) || !is_killed_at(nth, CallMoment::behind)) break;
    if (!was_followed_) GTEST_SKIP() << "ptrace is not allowed here";
    tell(kills);
}

std::string parameter_name(const testing::TestParamInfo<Parameter>& info) {
    const auto [follows, kind] = info.param;
    return std::string(follows_names[static_cast<size_t>(follows)]) +
           call_kind_names[static_cast<size_t>(kind)];
}

INSTANTIATE_TEST_SUITE_P(Calls, CallKillTest,
                         testing::Combine(testing::Values(Follows::program, Follows::program_alone,
                                                          Follows::drainer, Follows::ovnirecover),
                                          testing::Values(CallKind::open, CallKind::write, CallKind::resize,
                                                          CallKind::map, CallKind::rename, CallKind::remove)),
                         parameter_name);

}  // namespace
}  // namespace ovni::test
