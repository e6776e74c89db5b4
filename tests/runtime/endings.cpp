// However a thread or process ends in its own time, no event stays behind.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

using EndingTest = RuntimeTest;

TEST_F(EndingTest, FreeWritesWhatWasNotFlushed) {
    run_traced([] {
        start();
        put("OB.", 1);
        stop();
    });
    EXPECT_EQ(codes(), "OB.");
    EXPECT_FALSE(stream().json["ovni"].contains("end"));
}

TEST_F(EndingTest, ExitKeepsEventsAndTellsItsCode) {
    run_traced([] {
        start();
        put("OB.", 17);
        ::exit(3);
    });
    EXPECT_EQ(status(), 3);
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OB.");
    EXPECT_EQ(recorded.json["ovni"]["end"].dump(), R"({"by":"exit","code":3,"clock":17})");
    EXPECT_EQ(recorded.json["ovni"]["finished"], 1);
}

TEST_F(EndingTest, CodesAreThoseThatAShellShows) {
    for (const auto& [given, shown] : {std::pair{259, 3}, {-1, 255}, {256, 0}}) {
        run_traced([given = given] {
            start();
            put("OB.", 17);
            ::exit(given);
        });
        EXPECT_EQ(status(), shown);
        EXPECT_EQ(stream().json["ovni"]["end"]["code"], shown);
        std::filesystem::remove_all(trace());
        run_traced([given = given] {
            ovni_private_thread_open();
            emit("OB.", uint64_t{1});
            ovni_private_close_all("exit", given);
            ::_exit(given);
        });
        EXPECT_EQ(stream().json["ovni"]["end"]["code"], shown);
        std::filesystem::remove_all(trace());
    }
}

TEST_F(EndingTest, ExitClosesTheStreamsOfAllThreads) {
    run_traced([] {
        start();
        std::atomic<bool> ready{false};
        std::thread sleeper([&ready] {
            ovni_thread_init(5);
            put("OU[", 1);
            ready = true;
            pause();
        });
        while (!ready) sched_yield();
        put("OB.", 1);
        ::exit(0);
    });
    ASSERT_EQ(streams().size(), 2u);
    EXPECT_EQ(streams()[0].codes(), "OB.");
    EXPECT_EQ(streams()[1].codes(), "OU[");
    EXPECT_EQ(streams()[1].json["ovni"]["finished"], 1);
}

TEST_F(EndingTest, EventsOfExitHandlersAreKept) {
    run_traced([] {
        atexit([] { put("OU]", 2); });
        start();
        put("OB.", 1);
        ::exit(0);
    });
    EXPECT_EQ(codes(), "OB. OU]");
}

TEST_F(EndingTest, AThreadThatReturnsWithoutFreeIsFinished) {
    run_traced([] {
        ovni_proc_init(7, test_loom, test_pid);
        std::thread([] {
            ovni_thread_init(5);
            put("OB.", 1);
        }).join();
        ::_exit(0);
    });
    EXPECT_EQ(codes(), "OB.");
    EXPECT_EQ(stream().json["ovni"]["finished"], 1);
    EXPECT_EQ(stream().json["ovni"]["end"]["by"], "exit");
}

struct EmitsAtTheEnd {
    ~EmitsAtTheEnd() { put("OU[", 2); }
};

TEST_F(EndingTest, DestructorsOfTheThreadStillEmit) {
    run_traced([] {
        ovni_proc_init(7, test_loom, test_pid);
        pthread_key_t early = 0, late = 0;
        pthread_key_create(&early, [](void*) { put("OU]", 3); });
        std::thread([&] {
            thread_local EmitsAtTheEnd at_end;
            static_cast<void>(&at_end);
            pthread_setspecific(early, &early);
            ovni_thread_init(5);
            put("OB.", 1);
            pthread_key_create(&late, [](void*) { put("OU]", 4); });
            pthread_setspecific(late, &late);
        }).join();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "OB. OU[ OU] OU]");
}

// The stream of the thread is closed before the last round of destructors.
TEST_F(EndingTest, EventsOfTheLastDestructorsAreCounted) {
    static pthread_key_t key;
    static int round = 0;
    run_traced([] {
        start();
        pthread_key_create(&key, [](void* mark) {
            for (uint64_t i = 0; i < 5; ++i) put("OB.", 2 + i, i);
            emit("OB.", uint64_t{5});
            if (++round < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(key, mark);
        });
        std::thread([] {
            ovni_thread_init(5);
            pthread_setspecific(key, &key);
        }).join();
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    uint64_t found = 0;
    for (const RecordedStream& recorded : streams())
        found += recorded.events.size() + recorded.json["ovni"].value("lost_elsewhere", uint64_t{0});
    EXPECT_EQ(found, uint64_t{6} * PTHREAD_DESTRUCTOR_ITERATIONS);
}

TEST_F(EndingTest, EmissionIsNoCancellationPoint) {
    constexpr int count = 200000;  // the buffer fills, and is flushed
    run_traced([] {
        ovni_proc_init(7, test_loom, test_pid);
        static std::atomic<bool> cancelled{false};
        std::thread victim([] {
            while (!cancelled) sched_yield();
            ovni_thread_init(5);
            for (int i = 0; i < count; ++i) emit_at("OB.", static_cast<uint64_t>(i));
            put("OU[", count);
            ovni_flush();
            ovni_attr_flush();
            pthread_testcancel();
            put("BAD", count);
        });
        pthread_cancel(victim.native_handle());
        cancelled = true;
        victim.join();
    });
    ASSERT_EQ(stream().events.size(), count + 1u);
    EXPECT_EQ(stream().events.back().code, "OU[");
}

// Numbered events of parent and child after 1000 of the parent alone.
void expect_two_streams(const std::vector<RecordedStream>& streams) {
    ASSERT_EQ(streams.size(), 2u);
    bool first_is_parent = streams[0].json["ovni"]["pid"] == test_pid;
    const RecordedStream& parent = streams[first_is_parent ? 0 : 1];
    const RecordedStream& child = streams[first_is_parent ? 1 : 0];
    ASSERT_EQ(parent.events.size(), 2000u);
    for (uint64_t i = 0; i < 2000; ++i) {
        ASSERT_EQ(parent.events[i].code, i < 1000 ? "OB." : "OC(");
        ASSERT_EQ(parent.events[i].argument<uint64_t>(0), i);
    }
    ASSERT_EQ(child.events.size(), 1002u);
    EXPECT_EQ(child.events.front().code, "OHx");
    EXPECT_EQ(child.events.back().code, "OHe");
    for (uint64_t i = 1; i <= 1000; ++i) {
        ASSERT_EQ(child.events[i].code, "OC)");
        ASSERT_EQ(child.events[i].argument<uint64_t>(0), i + 999);
    }
    EXPECT_EQ(child.json["ovni"]["loom"], test_loom);
    EXPECT_EQ(child.json["ovni"]["app_id"], 7);
    EXPECT_EQ(child.json["ovni"]["parent"], test_pid);
    EXPECT_EQ(child.json["ovni"]["require"]["nosv"], "2.0.0");
}

// `split` gives 0 in the child.
template <class Split>
void emit_on_both_sides(Split split) {
    start();
    ovni_thread_require("nosv", "2.0.0");
    for (uint64_t i = 0; i < 1000; ++i) put("OB.", ovni_clock_now(), i);
    auto child = static_cast<pid_t>(split());
    for (uint64_t i = 1000; i < 2000; ++i) put(child ? "OC(" : "OC)", ovni_clock_now(), i);
    if (child == 0) {
        ovni_flush();
        ovni_thread_free();
        ovni_proc_fini();
        ::exit(0);
    }
    int result = 1;
    waitpid(child, &result, 0);
    stop();
    ::exit(result != 0);
}

TEST_F(EndingTest, ForkedChildHasAStreamOfItsOwn) {
    if (no_forked_children) GTEST_SKIP() << no_forked_children;
    run_traced([] { emit_on_both_sides(fork); });
    EXPECT_EQ(status(), 0) << printed_errors();
    expect_two_streams(streams());
}

TEST_F(EndingTest, ClonedChildHasAStreamOfItsOwn) {
    if (no_cloned_children) GTEST_SKIP() << no_cloned_children;
    run_traced([] { emit_on_both_sides([] { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }); });
    EXPECT_EQ(status(), 0) << printed_errors();
    expect_two_streams(streams());
}

TEST_F(EndingTest, ForkedChildThatEmitsNothingLeavesNothing) {
    run_traced([] {
        start();
        put("OB.", 1);
        pid_t child = fork();
        if (child == 0) ::exit(ovni_thread_isready());
        int result = 1;
        waitpid(child, &result, 0);
        stop();
        ::exit(result != 0);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "OB.");
}

TEST_F(EndingTest, AForkLosesNoEventsOfOtherThreads) {
    constexpr uint64_t count = 200000;
    run_traced([] {
        ovni_proc_init(7, test_loom, test_pid);
        std::thread emitter([] {
            ovni_thread_init(5);
            for (uint64_t i = 0; i < count; ++i) put("OB.", i);
            ovni_thread_free();
        });
        for (int i = 0; i < 5; ++i) {
            pid_t child = fork();
            if (child == 0) ::exit(0);
            waitpid(child, nullptr, 0);
        }
        emitter.join();
    });
    EXPECT_EQ(status(), 0);
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.events.size(), count);
    for (uint64_t i = 0; i < recorded.events.size(); ++i) ASSERT_EQ(recorded.events[i].clock, i);
}

TEST_F(EndingTest, ChildThatExitsInOurMemoryClosesNothing) {
    run_traced([] {
        start();
        put("OB.", 1);
        auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
        if (child == 0) ::exit(0);
        waitpid(child, nullptr, 0);
        put("OU[", 2);
        stop();
    });
    EXPECT_EQ(codes(), "OB. OU[");
    EXPECT_FALSE(stream().json["ovni"].contains("end"));
}

TEST_F(EndingTest, ForkedChildMayInitialiseItself) {
    if (no_forked_children) GTEST_SKIP() << no_forked_children;
    run_traced([] {
        start();
        put("OB.", 1);
        pid_t child = fork();
        if (child == 0) {
            ovni_proc_init(8, test_loom, 5000);
            ovni_thread_init(5000);
            put("OU[", 2);
            stop();
            ::exit(0);
        }
        waitpid(child, nullptr, 0);
        stop();
    });
    ASSERT_EQ(streams().size(), 2u);
    EXPECT_EQ(streams()[0].codes(), "OB.");
    EXPECT_EQ(streams()[1].codes(), "OU[");
    EXPECT_EQ(streams()[1].json["ovni"]["app_id"], 8);
}

}  // namespace
}  // namespace ovni::test
