// SIGKILL at random moments: of the program, of ovnirun, of both. OVNI_KILL_ROUNDS says how many of each,
// OVNI_KILL_SEED what the moments follow from (scripts/soak).
#include <sys/wait.h>

#include <random>

#include "ring/ring.hpp"
#include "tests/runtime/kill_test.hpp"

namespace ovni::test {
namespace {

enum class Victim { program, ovnirun, both, program_alone };

class KillTest : public KilledJobTest, public testing::WithParamInterface<Victim> {
 protected:
    void start_target(Below below) {
        begin_anew();
        parent_ = fork();
        ASSERT_GE(parent_, 0);
        if (parent_ == 0) execute_target(below);
        wait_for_target();
    }

    void kill_after_a_while(Victim victim) {
        std::this_thread::sleep_for(std::chrono::microseconds(random_() % 100'000));
        if (victim != Victim::program && victim != Victim::program_alone) kill(parent_, SIGKILL);
        if (victim == Victim::ovnirun) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        kill(target(), SIGKILL);
        waitpid(parent_, nullptr, 0);
        // A grandchild is not ours to wait for.
        while (writer::start_of_process(target()) != 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

 private:
    pid_t parent_ = 0;
    static unsigned seed() {
        const char* given = getenv("OVNI_KILL_SEED");
        return given ? static_cast<unsigned>(atol(given)) : std::random_device()();
    }
    std::mt19937 random_{seed()};
};

TEST_P(KillTest, LosesNothingThatWasAcknowledged) {
    const char* wanted = getenv("OVNI_KILL_ROUNDS");
    const int rounds = wanted ? atoi(wanted) : 3;
    for (int round = 0; round < rounds; ++round) {
        start_target(GetParam() == Victim::program_alone ? Below::nothing : Below::ovnirun);
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
