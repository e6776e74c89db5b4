// Handlers that call the library while they interrupt it: its emissions, or its slow ways.
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/runtime/runtime_test.hpp"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

namespace ovni::test {
namespace {

using ReentranceTest = RuntimeTest;

void count_from(uint64_t first, uint64_t end) {
    for (uint64_t i = first; i < end; ++i) emit("OB.", i);
}

void expect_counted(const RecordedStream& stream, uint64_t count) {
    uint64_t number = 0;
    for (const RecordedEvent& event : stream.events) {
        if (event.code != "OB.") continue;
        ASSERT_EQ(event.argument<uint64_t>(0), number++) << "at byte " << event.offset;
    }
    EXPECT_EQ(number, count);
    EXPECT_FALSE(stream.json["ovni"].contains("lost"));
    EXPECT_TRUE(stream.clocks_never_decrease());
}

void handle(int signal, void (*handler)(int), int flags = 0) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(signal, &action, nullptr);
}

// A handler runs in the middle of the emission of event 0.
void emit_interrupted() {
    if (ovni_private_thread_window->limit == 0) return void(raise(SIGUSR1));  // a shared buffer
    ovni_private_window& window = *ovni_private_thread_window;
    ASSERT_TRUE(detail::begin_emission(window, "OB.", 20, detail::any_clock));
    uint64_t clock = read_clock(*window.clock);
    raise(SIGUSR1);
    detail::store_event(window.data + window.head, "OB.", clock, uint64_t{0});
    detail::end_emission(window, 20, clock);
}

TEST_F(ReentranceTest, FlushesGapsAndMovesAmidAnEmissionAreRecorded) {
    run_traced([] {
        start();
        handle(SIGUSR1, [](int) {
            ovni_flush();
            ovni_flush();
            uint64_t clock = ovni_clock_now();
            ovni_private_gap(clock, clock + 1, 2, "first");
            ovni_private_gap(clock + 1, clock + 2, 3, "second");
            ovni_private_move_to_cpu(0);
        });
        emit("OB.", uint64_t{0});
        for (int i = 0; i < 10; ++i) emit_interrupted();
        emit("OB.", uint64_t{1});
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    EXPECT_TRUE(recorded.clocks_never_decrease());
    uint64_t flushes = 0, lost = 0;
    for (const RecordedEvent& event : recorded.events) flushes += event.code == "OF[";
    for (const auto& gap : recorded.gaps["gaps"]) lost += gap["lost"].get<uint64_t>();
    EXPECT_GE(flushes, 10u);
    EXPECT_EQ(lost, 50u);
    EXPECT_EQ(recorded.events.back().argument<uint64_t>(0), 1u);
}

class LongHandler : public ReentranceTest, public testing::WithParamInterface<int> {};

TEST_P(LongHandler, ALongHandlerIsNotTakenForAnEmissionLeftBehind) {
    run_traced([] {
        sigset_t usr1;
        sigemptyset(&usr1);
        sigaddset(&usr1, SIGUSR1);
        sigprocmask(SIG_BLOCK, &usr1, nullptr);
        start();
        constexpr size_t stack_bytes = 1 << 18;
        stack_t stack{};
        stack.ss_sp = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack.ss_size = stack_bytes;
        stack.ss_flags = static_cast<int>(SS_AUTODISARM);
        sigaltstack(&stack, nullptr);
        sigprocmask(SIG_UNBLOCK, &usr1, nullptr);
        handle(
            SIGUSR1, [](int) { count_from(1, 2001); }, GetParam());
        emit_interrupted();
        count_from(2001, 3000);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    ASSERT_FALSE(recorded.events.empty());
    if (recorded.events[0].argument<uint64_t>(0) == 0)
        expect_counted(recorded, 3000);
    else
        EXPECT_EQ(recorded.events.size(), 2999u);
}

INSTANTIATE_TEST_SUITE_P(By, LongHandler, testing::Values(0, SA_NODEFER, SA_ONSTACK));

// A signal that somebody sends finds the thread anywhere, also with the locks of the library held.
std::atomic<uint64_t> handled{0};

void send_often(int signal, int times, void (*meanwhile)()) {
    pthread_t target = pthread_self();
    std::atomic<bool> done{false};
    std::thread sender([&] {
        for (int i = 0; i < times; ++i) {
            pthread_kill(target, signal);
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        done = true;
    });
    while (!done) meanwhile();
    sender.join();
}

class FaultHandler : public ReentranceTest, public testing::WithParamInterface<void (*)()> {};

TEST_P(FaultHandler, EmitsAmidASlowWay) {
    if (below_tsan) GTEST_SKIP() << "ThreadSanitizer waits for itself where a fault's handler interrupts it";
    run_traced([] {
        start();
        handle(SIGSEGV, [](int) {
            emit("OB,", ++handled);
            ovni_flush();
            ovni_attr_set_str("a.text", "which is longer than what fits into a string without memory");
            ovni_private_flush_all();
        });
        send_often(SIGSEGV, 1000, GetParam());
        ovni_attr_set_double("handled", static_cast<double>(handled.load()));
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    uint64_t there = 0, lost = 0;
    for (const RecordedEvent& event : recorded.events) there += event.code == "OB,";
    if (recorded.json["ovni"].contains("lost")) lost = recorded.json["ovni"]["lost"].get<uint64_t>();
    EXPECT_EQ(static_cast<double>(there + lost), recorded.json["handled"].get<double>())
        << there << " events, " << recorded.json.dump() << printed_errors();
    EXPECT_GT(there, 0u);
    EXPECT_EQ(recorded.gaps.dump().find("damaged"), std::string::npos) << recorded.gaps.dump();
}

INSTANTIATE_TEST_SUITE_P(Amid, FaultHandler,
                         testing::Values([] { ovni_attr_set_double("a.number", 1); }, [] { ovni_flush(); },
                                         [] { count_from(0, 1000); },
                                         [] {
                                             for (uint64_t i = 0; i < 1000; ++i) emit("OB.", i, i);
                                         }));

// The program has blocked the signal there, as the system does.
TEST_F(ReentranceTest, AHandlerOfAFaultIsNotInterruptedByItself) {
    if (below_tsan) GTEST_SKIP() << "ThreadSanitizer delays signals by itself";
    run_traced([] {
        static std::atomic<int> depth, deepest;
        start();
        handle(SIGSEGV, [](int) {
            deepest = std::max(deepest.load(), ++depth);
            if (deepest == 1 && handled++ == 0) pthread_kill(pthread_self(), SIGSEGV);
            emit("OB.", uint64_t{0});
            ovni_flush();
            ovni_attr_set_double("a.number", 1);
            emit("OB.", uint64_t{0});
            --depth;
        });
        pthread_kill(pthread_self(), SIGSEGV);
        ovni_attr_set_double("deepest", deepest);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(stream().json["deepest"].get<double>(), 1);
}

TEST_F(ReentranceTest, ExitAmidASlowWayKeepsEventsAndStatus) {
    if (below_tsan) GTEST_SKIP() << "ThreadSanitizer wants no destructors of the program below a handler";
    for (int round = 0; round < 5; ++round) {
        run_traced([] {
            start();
            emit("OB.", uint64_t{0});
            handle(SIGSEGV, [](int) {
                signal(SIGSEGV, SIG_IGN);
                ::exit(7);
            });
            send_often(SIGSEGV, 1000, [] { ovni_attr_set_double("a.number", 1); });
        });
        EXPECT_EQ(status(), 7) << printed_errors();
        EXPECT_EQ(codes(), "OB.");
    }
}

TEST_F(ReentranceTest, ExitDoesNotWaitForAHandlerAmidASlowWay) {
    for (int round = 0; round < 5; ++round) {
        run_traced([] {
            start();
            emit("OB.", uint64_t{0});
            static std::atomic<bool> flushes, is_stuck;
            handle(SIGSEGV, [](int) {
                is_stuck = true;
                for (;;) pause();
            });
            std::thread other([] {
                ovni_thread_init(test_tid + 1);
                emit("OB.", uint64_t{0});
                for (;; flushes = true) ovni_flush();
            });
            while (!flushes) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            pthread_kill(other.native_handle(), SIGSEGV);
            other.detach();
            while (!is_stuck) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ::exit(7);
        });
        EXPECT_EQ(status(), 7) << printed_errors();
        ASSERT_EQ(streams().size(), 2u);
        EXPECT_EQ(streams()[0].codes(), "OB.");
        EXPECT_TRUE(streams()[1].codes().starts_with("OB."));
    }
}

// The end of the first image comes behind what its handler emitted.
TEST_F(ReentranceTest, ExecAmidAnEmissionLosesNothing) {
    run_traced([] {
        ovni_proc_init(1, "exec", getpid());
        ovni_thread_init(getpid());
        emit("OHx", 0, -1, uint64_t{0});
        for (int i = 0; i < 1000; ++i) emit("OB.", i);
        handle(SIGUSR1, [](int) {
            for (int i = 0; i < 100; ++i) emit("OB.", i);
            execl(BUILD_DIR "/tests/runtime_exec_target", "exec", "again", nullptr);
        });
        emit_interrupted();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    EXPECT_TRUE(recorded.clocks_never_decrease());
    EXPECT_EQ(std::ranges::count(recorded.events, "OHe", &RecordedEvent::code), 2);
    EXPECT_EQ(std::ranges::count(recorded.events, "OB.", &RecordedEvent::code), 2100);
}

// Bytes in use, when the thread that drains has all that it keeps.
size_t memory_in_use() {
    size_t used = mallinfo2().uordblks;
    for (int equal = 0; equal < 3; ++equal) {
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
        if (size_t now = mallinfo2().uordblks; now != used) equal = 0, used = now;
    }
    return used;
}

// Sanitizers have their own malloc.
TEST_F(ReentranceTest, MemoryOfTheProgramIsLeftAlone) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "the sanitizer sees to the memory";
    run_traced([] {
        start();
        ovni_flush();
        size_t before = memory_in_use();
        count_from(0, 2'000'000);
        ovni_attr_set_str("a.text", "which is longer than what fits into a string without memory");
        ::exit(memory_in_use() == before ? 0 : 1);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    expect_counted(stream(), 2'000'000);
}

}  // namespace
}  // namespace ovni::test
