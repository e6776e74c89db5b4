// The region controller in real programs: what its thread reports, and how programs end and fork with it.
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "tests/runtime/control_test.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {
namespace {

// Seconds count from the beginning of the program, or from the event before.
TEST_F(ControlTest, TimeoutsFireInTheirOrder) {
    set_environment("OVNI_CONTROL", "start:timeout:0.02,stop:timeout:0.03:count2,repeat:2");
    run_traced([] {
        constexpr uint64_t second = 1'000'000'000;
        const auto emit_while = [](uint64_t most, auto goes_on) {
            const uint64_t end = ovni_clock_now() + most;
            while (goes_on() && ovni_clock_now() < end) put("OB.", ovni_clock_now());
        };
        count_events<OVNI_CONTROL_STOP>();
        start();
        put_begin(ovni_clock_now());
        emit_while(5 * second, [] { return events_that_came < 2; });
        emit_while(second / 10, [] { return true; });
        put("OHe", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_THAT(
        log(),
        ElementsAre("- 0 start - start:timeout:0.02 done", "- 0 stop - stop:timeout:0.03:count2 done",
                    "- 0 start - start:timeout:0.02 done", "- 0 stop - stop:timeout:0.03:count2 done"));
}

// Each thread fires of its own at the common deadline; the one that comes later finds that it has passed.
TEST_F(ControlTest, ADeadlineOfAllConcernsEachThread) {
    set_environment("OVNI_CONTROL", "stop:timeout:0.05");
    set_environment("OVNI_CONTROL_SCOPE", "thread");
    run_traced([] {
        std::thread threads[2];
        count_events<OVNI_CONTROL_STOP>();
        ovni_private_thread_open();
        for (std::thread& thread : threads)
            thread = std::thread([] {
                ovni_private_thread_open();
                await_events(3);
            });
        for (std::thread& thread : threads) thread.join();
        std::thread([] { ovni_private_thread_open(); }).join();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    Lines lines = log();
    std::ranges::sort(lines);
    EXPECT_THAT(lines, ElementsAre("- 0 stop - stop:timeout:0.05 done", "- 1 stop - stop:timeout:0.05 done",
                                   "- 2 stop - stop:timeout:0.05 done", "- 3 stop - stop:timeout:0.05 done"));
}

TEST_F(ControlTest, ABroadcastDeadlineFiresOnce) {
    set_environment("OVNI_CONTROL", "stop:timeout:0.05:bcast");
    run_traced([] {
        count_events<OVNI_CONTROL_STOP>();
        ovni_private_thread_open();
        std::thread([] {
            ovni_private_thread_open();
            await_events(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }).join();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_THAT(log(), ElementsAre("- 0 stop bcast stop:timeout:0.05:bcast done"));
}

TEST_F(ControlTest, RequestsFeedInteractiveAlarms) {
    run_traced([&] {
        ::setenv("OVNI_CONTROL", "start:interactive:count2,stop:interactive;threadid:interactive:tid7", 1);
        ::setenv("OVNI_RUNDIR", home().c_str(), 1);
        ovni_private_thread_open();
        auto ask = [&](std::vector<std::string> words) {
            words.insert(words.begin(), {program("ovnictl"), home()});
            Finished done = run(words);
            return std::to_string(done.status) + " " + done.out.substr(done.out.find(": ") + 2) + done.err;
        };
        std::string said;
        std::jthread another([](const std::stop_token& stop) {
            while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        for (const Lines& words :
             {Lines{"status"}, Lines{"fire", "2"}, Lines{"fire"}, Lines{"fire"}, Lines{"status"},
              Lines{"fire", "3"}, Lines{"fire", "9"}, Lines{"fire", "2"}, Lines{"fire"}, Lines{"start"},
              Lines{"start"}, Lines{"chains"}, Lines{"flush"}})
            said += ask(words);
        std::ofstream(home() / "said") << said;
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    // ThreadSanitizer has a thread of its own.
    const std::string threads = std::string_view(OVNI_SANITIZE) == "thread" ? "3" : "2";
    EXPECT_EQ(
        file_content(home() / "said"),
        "0 ok recording=off scope=process threads=" + threads +
            " events=0 latched=0\n"
            "1 err that alarm does not wait\n"
            "0 ok start:interactive:count2\n0 ok start:interactive:count2, thread 0: start done\n"
            "0 ok recording=on scope=process threads=" +
            threads +
            " events=1 latched=0\n"
            "1 err that alarm does not wait\n1 err there is no such alarm\n"
            "0 ok stop:interactive, thread 0: stop done\n0 ok the next that waits\n0 ok done\n0 ok was so\n"
            "0 ok\nrank 0: 1 start:interactive:count2 armed: -\nrank 0: 1 stop:interactive armed: -\n"
            "rank 0: 2 threadid:interactive:tid7 armed: -\n0 ok\n");
    EXPECT_THAT(log(),
                ElementsAre("- 0 start - start:interactive:count2 done", "- 0 stop - stop:interactive done",
                            "- 0 start bcast ovnictl done", "- 0 start bcast ovnictl was so"));
}

// Thread 4 has the place of thread 1 in the tables, which has ended.
TEST_F(ControlTest, RequestsTakeTheLowestThreadFirst) {
    run_traced([&] {
        ::setenv("OVNI_CONTROL", "threadid:interactive:count2,threadid:interactive", 1);
        ::setenv("OVNI_RUNDIR", home().c_str(), 1);
        ovni_private_thread_open();
        std::vector<std::jthread> threads;
        const auto add = [&threads] {
            std::atomic<bool> is_there{false};
            threads.emplace_back([&is_there](const std::stop_token& stop) {
                ovni_private_thread_open();
                is_there = true;
                while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            });
            while (!is_there) std::this_thread::yield();
        };
        for (int i = 0; i < 3; ++i) add();
        threads.erase(threads.begin());
        add();
        std::string said;
        const auto fire = [&](const Lines& words) {
            const std::string out = run(Lines{program("ovnictl"), home(), "fire"} + words).out;
            said += out.substr(out.find("ok "));
        };
        fire({"1"});
        for (int i = 1; i < 12; ++i) fire({});
        std::ofstream(home() / "said") << said;
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    std::string expected;
    for (const char* thread : {"0", "2", "3", "4"})
        expected += std::string("ok threadid:interactive:count2\nok threadid:interactive:count2, thread ") +
                    thread + ": threadid done\nok threadid:interactive, thread " + thread +
                    ": threadid done\n";
    EXPECT_EQ(file_content(home() / "said"), expected);
}

// The listener is called by a thread of the library, and waits for a thread of the program that it is told
// of. The time begins when that is there: if it were over before, the thread itself would call.
TEST_F(ControlTest, AThreadMayEndWhileAListenerWaitsForIt) {
    set_environment("OVNI_CONTROL", "threadid:pcontrol:here,stop:timeout:0.01:tid1");
    run_traced([] {
        static std::mutex mutex;
        static std::atomic<bool> is_told{false};
        ovni_control_listen(
            [](void*, int event, uint32_t, int) {
                if (event != OVNI_CONTROL_STOP) return;
                is_told = true;
                std::lock_guard wait(mutex);
            },
            nullptr);
        std::unique_lock lock(mutex);
        std::thread([] {
            ovni_private_thread_open();
            pass("here");
            while (!is_told) std::this_thread::yield();
        }).join();
        lock.unlock();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_THAT(log(), ElementsAre("- 1 threadid - threadid:pcontrol:here done",
                                   "- 1 stop - stop:timeout:0.01:tid1 done"));
}

// Below ovnirun, which drains the events.
TEST_F(ControlTest, QuickExitsLeaveNoSocket) {
    Finished done = run_target("threadid:interactive", {"quick_exit"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("control socket: " + home().string()));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home()))
        EXPECT_NE(entry.path().extension(), ".sock") << entry.path();
}

// Not where it was ever on, nor of programs that passed nothing.
TEST_F(ControlTest, AProgramThatNeverRecordedSaysSo) {
    auto said = [&](const char* chains, const char* text) {
        set_environment("OVNI_CONTROL", chains);
        run_traced([text] {
            if (!text) return;
            ovni_private_thread_open();
            if (fork() == 0) ::exit(0);
            int child = 0;
            ::wait(&child);
            pass(text);
        });
        EXPECT_EQ(status(), 0);
        EXPECT_LE(std::ranges::count(printed_errors(), '\n'), 1) << printed_errors();
        return printed_errors();
    };
    EXPECT_THAT(said("start:pcontrol:slove,stop:pcontrol:end", "solve"),
                HasSubstr("as no chain came to a start; the first begins with start:pcontrol:slove\n"));
    EXPECT_EQ(said("start:pcontrol:solve", "solve"), "");
    EXPECT_EQ(said("stop:pcontrol:slove", "solve"), "");
    EXPECT_EQ(said("start:pcontrol:slove", nullptr), "");
    set_environment("OMPI_COMM_WORLD_RANK", "1");
    EXPECT_EQ(said("start:pcontrol:slove", "solve"), "");
}

TEST_F(ControlTest, ALogIsWhereTheProgramBegan) {
    set_environment("OVNI_CONTROL", "stop:pcontrol:b;stop:timeout:0.01");
    set_environment("OVNI_CONTROL_LOG", "log");
    run_traced([&] {
        std::filesystem::create_directory(home() / "100%pass");
        std::filesystem::current_path(home() / "100%pass");
        count_events<OVNI_CONTROL_STOP>();
        ovni_private_thread_open();
        std::filesystem::create_directory("below");
        std::filesystem::current_path("below");
        pass("b");
        await_events(2);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(log("100%pass/log").size(), 2u);
}

TEST_F(ControlTest, AForkedChildGoesOnWithWhatItsThreadHadReached) {
    if (no_forked_children) GTEST_SKIP() << no_forked_children;
    set_environment("OVNI_CONTROL", "start:pcontrol:a,stop:pcontrol:b");
    set_environment("OVNI_CONTROL_SCOPE", "thread");
    run_traced([] {
        ovni_private_thread_open();
        pass("a");
        if (fork() == 0) {
            ovni_private_thread_open();
            emit("OB.");
            pass("b");
            emit("OB.");
            ::exit(0);
        }
        int child = 0;
        ::wait(&child);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(codes(), "OHx OB. OHe");  // of the child, as the parent has emitted nothing
}

}  // namespace
}  // namespace ovni::test
