// Interruptions: forks and clones in odd places, handlers that never return, clocks that step back.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "ovni/emit.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

class InterruptionTest : public RuntimeTest {
 protected:
    InterruptionTest() { set_environment("OVNI_RUNDIR", home()); }
};

void emit_from(uint64_t first, uint64_t end) {
    for (uint64_t i = first; i < end; ++i) emit("OB.", i);
}

void expect_interrupted_counted(const RecordedStream& stream, uint64_t count) {
    uint64_t number = 0;
    for (const RecordedEvent& event : stream.events) {
        if (event.code != "OB.") continue;
        ASSERT_EQ(event.argument<uint64_t>(0), number++) << "at byte " << event.offset;
    }
    EXPECT_EQ(number, count);
    EXPECT_TRUE(stream.clocks_never_decrease());
}

int raw_clone() {
    return static_cast<int>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

void emit_jumbo() {
    ovni_ev jumbo = event("OB,", ovni_clock_now());
    ovni_ev_jumbo_emit(&jumbo, reinterpret_cast<const uint8_t*>("abcdefghij"), 10);
}

class ClonedChild : public InterruptionTest, public testing::WithParamInterface<void (*)()> {};

TEST_P(ClonedChild, LeavesTheParentsStreamAlone) {
    if (no_cloned_children) GTEST_SKIP() << no_cloned_children;
    run_traced([] {
        start();
        emit_from(0, 1000);
        int child = raw_clone();
        if (child == 0) {
            GetParam()();
            _exit(0);
        }
        int result = 1;
        waitpid(child, &result, 0);
        emit_from(1000, 200'000);
        stop();
        ::exit(result);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    for (const RecordedStream& recorded : streams())
        if (recorded.json["ovni"]["pid"] == test_pid) expect_interrupted_counted(recorded, 200'000);
}

INSTANTIATE_TEST_SUITE_P(First, ClonedChild,
                         testing::Values([] { emit_jumbo(); }, [] { ovni_thread_free(); },
                                         [] { ovni_flush(); }, [] { ovni_attr_set_double("a.b", 1); },
                                         [] { emit_from(0, 10); }));

TEST_F(InterruptionTest, AForkInAHandlerAmidAnEmissionLosesNothing) {
    static volatile int is_child = 0;
    static volatile uint64_t killed = 0, forks = 0;
    run_traced([] {
        start();
        struct sigaction action {};
        action.sa_handler = [](int) {
            pid_t child = fork();
            int result = 0;
            if (child == 0) {
                is_child = 1;
            } else {
                waitpid(child, &result, 0);
                killed = killed + (result != 0);
                forks = forks + 1;
            }
        };
        sigaction(SIGUSR1, &action, nullptr);
        // The state amid an emission: the child finds its window empty, and has to come out of it.
        for (uint64_t i = 0; i < 100; ++i) {
            ovni_private_window& window = *ovni_private_thread_window;
            ASSERT_TRUE(detail::begin_emission(window, "OB.", 20, detail::any_clock));
            raise(SIGUSR1);
            uint64_t clock = read_clock(*window.clock);
            detail::store_event(window.data + window.head, "OB.", clock, i);
            detail::end_emission(window, 20, clock);
            if (is_child) _exit(0);
        }
        stop();
        ::exit(killed != 0 || forks != 100);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    expect_interrupted_counted(stream(), 100);
}

TEST_F(InterruptionTest, AnEmissionLeftBehindLosesNoOther) {
    run_traced([] {
        start();
        ovni_private_window& window = *ovni_private_thread_window;
        // The state that a handler leaves if it never returns.
        window.busy = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
        struct Deeper {
            [[gnu::noinline]] static void emit_all() {
                volatile char below[4096];
                below[0] = 1;
                emit_from(0, 200'000);
                below[1] = below[0];
            }
        };
        Deeper::emit_all();
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_FALSE(stream().json["ovni"].contains("lost"));
    expect_interrupted_counted(stream(), 200'000);
}

TEST_F(InterruptionTest, ManyEventsOfOneHandlerStayBehindTheInterruptedOne) {
    run_traced([] {
        start();
        struct sigaction action {};
        action.sa_handler = [](int) { emit_from(1, 1001); };
        sigaction(SIGUSR1, &action, nullptr);
        ovni_private_window& window = *ovni_private_thread_window;
        ASSERT_TRUE(detail::begin_emission(window, "OB.", 20, detail::any_clock));
        uint64_t clock = read_clock(*window.clock);
        raise(SIGUSR1);
        detail::store_event(window.data + window.head, "OB.", clock, uint64_t{0});
        detail::end_emission(window, 20, clock);
        emit_from(1001, 2000);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    expect_interrupted_counted(stream(), 2000);
}

TEST_F(InterruptionTest, AShortDefinitionOfAHandlerFollowsTheInterruptedEvent) {
    run_traced([] {
        start();
        struct sigaction action {};
        action.sa_handler = [](int) { emit_jumbo(); };
        sigaction(SIGUSR1, &action, nullptr);
        ovni_private_window& window = *ovni_private_thread_window;
        ASSERT_TRUE(detail::begin_emission(window, "OB.", 12, detail::any_clock));
        uint64_t clock = read_clock(*window.clock);
        raise(SIGUSR1);
        detail::store_event(window.data + window.head, "OB.", clock);
        detail::end_emission(window, 12, clock);
        stop();
    });
    EXPECT_EQ(codes(), "OB. OB,");
    EXPECT_EQ(stream().events[1].payload.substr(4), "abcdefghij");
}

TEST_F(InterruptionTest, ClockThatStepsBackIsRaised) {
    run_traced([] {
        start();
        emit_at("OB.", now() + 800'000'000, uint64_t{0});
        emit_from(1, 10);
        stop();
    });
    expect_interrupted_counted(stream(), 10);
    EXPECT_GE(stream().json["ovni"]["raised"], 1);
}

// Once the parent is dead, somebody else may recover what it left.
TEST_F(InterruptionTest, ForkedChildDoesNotHoldTheRunDirectory) {
    pid_t child = 0;
    run_traced([&] {
        start();
        ovni_add_cpu(0, 0);
        emit("OHx", 0, -1, uint64_t{0});
        emit_from(0, 1000);
        pid_t forked = fork();
        if (forked == 0) {
            pause();
            _exit(0);
        }
        std::ofstream(home() / "child") << forked;
        kill(getpid(), SIGKILL);
    });
    child = std::stoi(file_content(home() / "child"));
    Finished recovered = recover();
    kill(child, SIGKILL);
    EXPECT_EQ(recovered.status, 0) << recovered.err;
    expect_interrupted_counted(stream(), 1000);
}

TEST_F(InterruptionTest, FileSizeLimitBelowTheBufferDoesNotEndTheProgram) {
    run_traced([] {
        rlimit limit{1'100'000, 1'100'000};
        setrlimit(RLIMIT_FSIZE, &limit);
        start();
        emit_from(0, 10'000);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    expect_interrupted_counted(stream(), 10'000);
}

// While a thread waits for room because nobody drains. The handler may emit, too.
class EndWhileWaiting : public InterruptionTest, public testing::WithParamInterface<int> {};

TEST_P(EndWhileWaiting, TheSignalIsDelivered) {
    Finished done = run({program("ovnirun"), BUILD_DIR "/tests/runtime_loss_target", "1", "400000", "ended",
                         std::to_string(GetParam())},
                        {"OVNI_TRACEDIR=" + trace().string(), "OVNI_RUNDIR=" + home().string()});
    EXPECT_EQ(done.status, 42) << done.err;
    EXPECT_EQ(stream().events.back().code, "OHp");
}

INSTANTIATE_TEST_SUITE_P(By, EndWhileWaiting, testing::Values(SIGTERM, SIGABRT, SIGINT));

}  // namespace
}  // namespace ovni::test
