// How a process may end under its own threads, on a small stack, or without memory, and leave whole streams.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

using ExitTest = RuntimeTest;

void* shared_memory(size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

TEST_F(ExitTest, WhatAnotherThreadEmitsMeanwhileIsThere) {
    auto* acknowledged = static_cast<volatile uint64_t*>(shared_memory(4096));
    run_traced([=] {
        start();
        std::thread([=] {
            ovni_thread_init(test_tid + 1);
            for (uint64_t i = 0;; ++i) {
                emit("OB.", i);
                __atomic_store_n(acknowledged, i + 1, __ATOMIC_RELAXED);
            }
        }).detach();
        while (__atomic_load_n(acknowledged, __ATOMIC_RELAXED) < 100'000) usleep(1000);
        ::exit(3);
    });
    EXPECT_EQ(status(), 3) << printed_errors();
    const std::vector<RecordedStream> all = streams();
    const RecordedStream& recorded = all.back();
    uint64_t number = 0;
    for (const RecordedEvent& event : recorded.events) {
        if (event.code != "OB.") continue;
        ASSERT_EQ(event.argument<uint64_t>(0), number++);
    }
    EXPECT_GE(number, *acknowledged);
    EXPECT_EQ(recorded.json["ovni"]["end"]["by"], "exit");
    EXPECT_EQ(recorded.json["ovni"]["end"]["code"], 3);
    munmap(const_cast<uint64_t*>(acknowledged), 4096);
}

class MainThreadTest : public RuntimeTest {
 protected:
    Finished ends(const char* how) {
        return run({BUILD_DIR "/tests/runtime_main_ends_first", how},
                   {"OVNI_TRACEDIR=" + trace().string(), "OVNI_RUNDIR=" + home().string()});
    }
};

TEST_F(MainThreadTest, TheMainThreadMayEndBeforeOthers) {
    const Finished done = ends("exits");
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "done\n");
    ASSERT_EQ(streams().size(), 2u);
    for (const RecordedStream& recorded : streams()) {
        EXPECT_EQ(recorded.codes(), "OB.");
        EXPECT_EQ(recorded.json["ovni"]["finished"], 1);
    }
}

TEST_F(MainThreadTest, TheMainThreadMayLeaveWithoutTheCLibrary) {
    const Finished done = ends("leaves");
    EXPECT_EQ(done.status, 7) << done.err;
    EXPECT_EQ(codes(), "OB.");
    EXPECT_EQ(stream().json["ovni"]["finished"], 1);
}

TEST_F(MainThreadTest, TheMainThreadMayBeKilledAlone) {
    const Finished done = ends("is killed");
    EXPECT_EQ(done.status, 128 + SIGSYS) << done.err;
    EXPECT_EQ(codes(), "OB.");
}

TEST_F(ExitTest, AnExitStaysWithinASmallAlternateStack) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "sanitizers need more stack";
    constexpr size_t below = 256 << 10, stack_bytes = 8192;
    auto* memory = static_cast<uint8_t*>(shared_memory(below + stack_bytes));
    std::fill_n(memory, below, uint8_t{0x5a});
    run_traced([=] {
        start();
        for (uint64_t i = 0; i < 1000; ++i) emit("OB.", i);
        stack_t stack{};
        stack.ss_sp = memory + below;
        stack.ss_size = stack_bytes;
        sigaltstack(&stack, nullptr);
        struct sigaction action {};
        action.sa_handler = [](int) { ::exit(3); };
        action.sa_flags = SA_ONSTACK;
        sigaction(SIGTERM, &action, nullptr);
        raise(SIGTERM);
    });
    EXPECT_EQ(status(), 3) << printed_errors();
    EXPECT_TRUE(std::all_of(memory, memory + below, [](uint8_t byte) { return byte == 0x5a; }));
    EXPECT_EQ(stream().events.size(), 1000u);
    munmap(memory, below + stack_bytes);
}

TEST_F(ExitTest, QuickExitLosesNothing) {
    run_traced([] {
        start();
        for (uint64_t i = 0; i < 100'000; ++i) emit("OB.", i);
        quick_exit(0);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(stream().events.size(), 100'000u);
    EXPECT_EQ(stream().json["ovni"]["finished"], 1);
}

// A crash handler that waits for a debugger, while its thread has this or that lock.
class BesideACrash : public ExitTest, public testing::WithParamInterface<void (*)()> {};

TEST_P(BesideACrash, TheProcessEnds) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "the sanitizer handles the fault";
    run_traced([] {
        start();
        for (uint64_t i = 0; i < 1000; ++i) emit("OB.", i);
        signal(SIGSEGV, [](int) {
            while (true) pause();
        });
        static std::barrier both(2);
        std::thread busy([] {
            ovni_thread_init(test_tid + 1);
            both.arrive_and_wait();
            GetParam()();
        });
        both.arrive_and_wait();
        usleep(20'000);
        pthread_kill(busy.native_handle(), SIGSEGV);
        usleep(20'000);
        busy.detach();
        ::exit(4);
    });
    EXPECT_EQ(status(), 4) << printed_errors();
    recover();
    EXPECT_EQ(streams().front().events.size(), 1000u);
}

INSTANTIATE_TEST_SUITE_P(In, BesideACrash,
                         testing::Values(
                             [] {
                                 ovni_private_identity nobody{};
                                 nobody.loom = reinterpret_cast<const char*>(8);
                                 ovni_private_identify(&nobody);
                             },
                             [] {
                                 while (true) ovni_attr_set_json("test.list", "[1, [2, [3, [4, [5]]]]]");
                             },
                             [] {
                                 while (true) ovni_attr_flush();
                             },
                             [] {
                                 while (true) ovni_flush();
                             }));

// The program is out of memory, and handles it.
class WithoutMemory : public ExitTest, public testing::WithParamInterface<void (*)()> {};

void leave_memory(rlim_t bytes) {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    bytes += static_cast<rlim_t>(pages) * 4096;
    rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
}

void use_up_memory() {
    leave_memory(8 << 20);
    for (size_t size = 1 << 20; size >= 16;)
        if (!malloc(size)) size /= 2;
}

TEST_P(WithoutMemory, TheProgramGoesOn) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "the sanitizer sees to the memory";
    run_traced([] {
        start();
        ovni_mark_type(1, 0, "x");
        emit("OB.", uint64_t{0});
        usleep(200'000);
        use_up_memory();
        GetParam()();
        emit("OB.", uint64_t{1});
        ::exit(4);
    });
    EXPECT_EQ(status(), 4) << printed_errors();
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.events.back().argument<uint64_t>(0), 1u);
    EXPECT_EQ(recorded.json["ovni"]["end"]["code"], 4);
}

INSTANTIATE_TEST_SUITE_P(For, WithoutMemory,
                         testing::Values([] {}, [] { usleep(200'000); },
                                         [] {
                                             for (uint64_t i = 0; i < 1'000'000; ++i) emit("OB.", i);
                                         },
                                         [] {
                                             char label[64];
                                             for (int i = 1; i < 2000; ++i) {
                                                 snprintf(label, sizeof label, "label number %d of it", i);
                                                 ovni_mark_label(1, i, label);
                                             }
                                         }));

// More threads begin at once than there is memory left for: what does not get a stream is lost and counted.
TEST_F(ExitTest, ManyThreadsWithoutMemoryCountWhatTheyLose) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "the sanitizer sees to the memory";
    constexpr int threads = 600;
    run_traced([] {
        start();
        static std::barrier all(threads + 1);
        std::vector<std::thread> team;
        for (int t = 1; t <= threads; ++t)
            team.emplace_back([t] {
                all.arrive_and_wait();
                all.arrive_and_wait();
                ovni_thread_init(test_tid + t);
                emit("OB.", uint64_t{0});
                ovni_flush();
                if (t % 2) ovni_thread_free();
                all.arrive_and_wait();
            });
        all.arrive_and_wait();
        use_up_memory();
        all.arrive_and_wait();
        all.arrive_and_wait();
        ::exit(4);
    });
    EXPECT_EQ(status(), 4) << printed_errors();
    // The drainer of the process may not have had any either.
    recover();
    uint64_t events = 0;
    for (const RecordedStream& stream : streams()) {
        events += stream.events.size() + stream.json["ovni"].value("lost", uint64_t{0}) +
                  stream.json["ovni"].value("lost_elsewhere", uint64_t{0});
    }
    EXPECT_EQ(events, uint64_t{threads}) << printed_errors();
}

// Whoever handles what the program hands in may need more than is left.
TEST_F(ExitTest, MetadataThatFindsNoMemoryIsReported) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "the sanitizer sees to the memory";
    for (rlim_t left : {10, 30, 60, 100, 200, 300, 400, 600}) {
        run_traced([left] {
            start();
            std::string large(20 << 20, 'x');
            leave_memory(left << 20);
            ovni_attr_set_str("test.large", large.c_str());
            ovni_attr_set_json("test.list", "[1, 2, 3]");
            ovni_attr_flush();
            _exit(4);
        });
        EXPECT_EQ(status(), 4) << printed_errors();
        if (left < 300) {
            EXPECT_THAT(printed_errors(), testing::HasSubstr("no memory for the attribute"));
        }
    }
}

}  // namespace
}  // namespace ovni::test
