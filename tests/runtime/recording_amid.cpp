// Recording off and on again amid whatever else threads are in: handlers, forks, jumps, each other.
#include <sys/time.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <random>
#include <thread>

#include "tests/runtime/recording_test.hpp"

namespace ovni::test {
namespace {

TEST_F(RecordingTest, HandlersAreGatedToo) {
    run_traced([] {
        static std::atomic<int> seen{0};
        begin_program();
        signal(SIGALRM, [](int) { emit("OB."), ++seen; });
        pause();
        itimerval often{{0, 50}, {0, 50}};
        setitimer(ITIMER_REAL, &often, nullptr);
        while (seen < 1000) emit("VAs"), emit("VAS");
        often = {};
        setitimer(ITIMER_REAL, &often, nullptr);
        go_on();
        emit("OB.");
        end_program();
    });
    EXPECT_EQ(codes(), "OHx OB. OHe");
    expect_accepted();
}

TEST_F(RecordingTest, AForkedChildIsPausedLikeItsParent) {
    if (no_forked_children) GTEST_SKIP() << no_forked_children;
    run_traced([] {
        begin_program();
        pause();
        if (fork() == 0) {
            emit("OB.");
            go_on();
            emit("OB.");
            ::exit(0);
        }
        int status = 0;
        ::wait(&status);
        end_program();
    });
    std::vector<RecordedStream> all = streams();
    ASSERT_EQ(all.size(), 2u);
    for (const RecordedStream& one : all) EXPECT_EQ(one.codes().find("OB. OB."), std::string::npos);
}

// States of three models next to each other, opened and closed at random.
void wander(uint32_t seed, const std::atomic<bool>& ends) {
    struct Pair {
        EventCode open, close;
    };
    static constexpr Pair pairs[] = {{"VAs", "VAS"}, {"VAr", "VAR"}, {"VMa", "VMA"}, {"VHd", "VHD"}};
    std::minstd_rand random(seed);
    std::vector<Pair> open;
    while (!ends || !open.empty()) {
        bool opens = !ends && open.size() < 20 && random() % 2 == 0;
        if (opens) open.push_back(pairs[random() % std::size(pairs)]);
        if (opens)
            emit(open.back().open);
        else if (!open.empty())
            emit(open.back().close), open.pop_back();
        if (random() % 64 == 0) emit("OB.");
    }
}

TEST_F(RecordingTest, RandomChangesLeaveTracesThatAreAccepted) {
    const char* mode = getenv("OVNI_BUFFER_MODE");
    uint32_t rounds = mode && std::string(mode) == "shared" ? 10 : 30;
    for (uint32_t seed = 1; seed <= rounds; ++seed) {
        std::filesystem::remove_all(trace());
        run_traced([seed] {
            begin_program();
            std::atomic<bool> ends{false};
            std::vector<std::thread> threads;
            for (uint32_t t = 0; t < 3; ++t)
                threads.emplace_back([&ends, seed, t] {
                    ovni_thread_init(static_cast<pid_t>(test_tid + 1 + t));
                    ovni_thread_require("nosv", "2.4.0");
                    emit("OHx", int32_t{-1}, int32_t{-1}, uint64_t{0});
                    wander(seed * 10 + t, ends);
                    emit("OHe");
                    ovni_thread_free();
                });
            std::minstd_rand random(seed);
            for (int i = 0; i < 20; ++i) {
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
                (random() % 2 == 0 ? pause : go_on)();
            }
            ends = true;
            for (std::thread& thread : threads) thread.join();
            end_program();
        });
        ASSERT_EQ(status(), 0);
        for (const RecordedStream& one : streams()) {
            EXPECT_TRUE(one.clocks_never_decrease());
            expect_nothing_in_gaps(one);
        }
        expect_accepted();
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

// A thread that comes by amid a start shows it, whether it hears of it before or after what is wanted of it.
TEST_F(RecordingTest, AThreadThatComesByAmidAStartMissesNone) {
    run_traced([] {
        begin_program();
        std::atomic<bool> is_recorded{false}, ends{false};
        std::thread comes_by([&] {
            while (!ends) is_recorded = ovni_private_thread_open() != 0;
        });
        for (int i = 0; i < 300; ++i) {
            pause();
            while (is_recorded) std::this_thread::yield();
            go_on();
            while (!is_recorded) std::this_thread::yield();
        }
        ends = true;
        comes_by.join();
        end_program();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

// Interrupts the thread until it has done its work.
template <class Work>
void interrupt(int signal, Work work) {
    std::atomic<bool> ends{false};
    std::thread worker([&] {
        work();
        ends = true;
        // Nobody signals a thread that is gone.
        while (ends) std::this_thread::yield();
    });
    while (!ends) {
        pthread_kill(worker.native_handle(), signal);
        std::this_thread::yield();
    }
    ends = false;
    worker.join();
}

TEST_F(RecordingTest, HandlersMayComeAmidStates) {
    run_traced([] {
        begin_program();
        signal(SIGUSR1, [](int) { emit("VMa"), emit("VMA"); });
        for (int i = 0; i < 20; ++i)
            interrupt(SIGUSR1, [] {
                ovni_private_thread_open();
                constexpr int depth = 2000;
                for (int k = 0; k < depth; ++k) emit("VAs");
                for (int k = 0; k < depth; ++k) emit("VAS");
            });
        end_program();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

TEST_F(RecordingTest, AChildThatAHandlerForksGoesOnWithTheEmission) {
    if (no_forked_children) GTEST_SKIP() << no_forked_children;
    run_traced([] {
        // Without the handler's own limit each signal, pending when it returns, might make one more.
        static constexpr int most = 60;
        static std::atomic<int> children{0};
        static thread_local volatile bool is_child = false, is_emitting = false;
        begin_program();
        signal(SIGUSR1, [](int) {
            if (is_child || !is_emitting || children == most) return;
            pid_t child = fork();
            is_child = child == 0;
            if (is_child) return;
            int status = 0;
            waitpid(child, &status, 0);
            if (status != 0) _exit(1);
            ++children;
        });
        interrupt(SIGUSR1, [] {
            ovni_private_thread_open();
            is_emitting = true;
            while (children < most && !is_child) emit("VAs"), emit("VAS");
            is_emitting = false;
            if (is_child) _exit(0);
        });
        end_program();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

// Nobody takes notes of a stream without events, nor what a flight recorder keeps: there is room for 512.
TEST_F(RecordingTest, ManyChangesWithoutEventsWaitForNobody) {
    run_traced([] {
        begin_program();
        std::thread([] {
            ovni_private_thread_open();
            for (int i = 0; i < 2000; ++i) {
                pause(), ovni_private_thread_open();
                go_on(), ovni_private_thread_open();
            }
            emit("OB.");
        }).join();
        end_program();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    std::vector<RecordedStream> all = streams();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(std::ranges::any_of(all, [](auto& one) { return one.codes().ends_with("OB. OHe"); }))
        << all[0].codes() << " | " << all[1].codes();
    for (const RecordedStream& one : all) expect_nothing_in_gaps(one);
}

// One wait for all of them together, and never again for the same.
TEST_F(RecordingTest, EmissionsThatWereLeftHoldNobodyUp) {
    run_traced([] {
        static thread_local sigjmp_buf place;
        begin_program();
        signal(SIGUSR1, [](int) { siglongjmp(place, ovni_private_thread_window->busy ? 1 : 2); });
        std::atomic<bool> ends{false};
        std::vector<std::thread> threads;
        for (int i = 0; i < 10; ++i) {
            std::atomic<bool> is_ready{false};
            threads.emplace_back([&] {
                ovni_private_thread_open();
                switch (sigsetjmp(place, 1)) {
                    case 0:
                        detail::begin_emission(*ovni_private_thread_window, "OB.", 20, detail::any_clock);
                        raise(SIGUSR1);
                        break;
                    case 2:
                        _exit(1);
                }
                is_ready = true;
                while (!ends) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            });
            while (!is_ready) std::this_thread::yield();
        }
        for (int i = 0; i < 100; ++i) pause(), emit("VAs"), go_on(), emit("OB.");
        ends = true;
        for (std::thread& thread : threads) thread.join();
        end_program();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    for (const RecordedStream& one : streams()) expect_nothing_in_gaps(one);
}

}  // namespace
}  // namespace ovni::test
