// OVNI_BUFFER_MODE=shared: all threads of a process emit into one buffer. What else the writer promises is
// tested by the same cases in both modes (CMakeLists.txt).
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <fstream>
#include <thread>

#include "ovni/emit.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SharedModeTest : public RuntimeTest {
 protected:
    SharedModeTest() { set_environment("OVNI_BUFFER_MODE", "shared"); }

    // Looks in the run directories, as long as there are any.
    size_t shared_buffers() const {
        size_t count = 0;
        for (const auto& entry : fs::recursive_directory_iterator(home()))
            count += entry.path().filename().string().starts_with("shared.");
        return count;
    }
};

// Events of one code carry the numbers from 1.
void expect_numbers(const RecordedStream& recorded, const std::string& code, uint64_t last) {
    uint64_t number = 0;
    for (const RecordedEvent& event : recorded.events)
        if (event.code == code) {
            ASSERT_EQ(event.argument<uint64_t>(0), ++number) << recorded.directory;
        }
    EXPECT_EQ(number, last) << recorded.directory;
    EXPECT_TRUE(recorded.clocks_never_decrease()) << recorded.directory;
    EXPECT_FALSE(recorded.json["ovni"].contains("lost")) << recorded.json["ovni"]["lost"];
}

// All threads are there at the same time.
void emit_from_threads(int threads, uint64_t events) {
    ovni_proc_init(7, test_loom, test_pid);
    std::barrier together(threads);
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t)
        team.emplace_back([&, t] {
            ovni_thread_init(100 + t);
            together.arrive_and_wait();
            for (uint64_t i = 1; i <= events; ++i) emit("OB.", i);
            together.arrive_and_wait();
            ovni_thread_free();
        });
    for (std::thread& thread : team) thread.join();
    ovni_proc_fini();
}

TEST_F(SharedModeTest, EventsOfAThreadKeepTheirOrder) {
    constexpr int threads = 4;
    constexpr uint64_t events = 200'000;
    run_traced([] { emit_from_threads(threads, events); });
    EXPECT_EQ(status(), 0) << printed_errors();
    ASSERT_EQ(streams().size(), size_t{threads});
    for (const RecordedStream& recorded : streams()) expect_numbers(recorded, "OB.", events);
}

TEST_F(SharedModeTest, ThereIsOneBufferWhileTheProcessLives) {
    run_traced([this] {
        start();
        emit("OB.");
        size_t found = shared_buffers();
        std::thread([] {
            ovni_thread_init(5);
            emit("OB.");
        }).join();
        size_t later = shared_buffers();
        stop();
        ::exit(!(found == 1 && later == 1));
    });
    EXPECT_EQ(status(), 0);
    EXPECT_EQ(shared_buffers(), 0u);
    EXPECT_EQ(streams().size(), 2u);
}

TEST_F(SharedModeTest, MoreThreadsThanSeatsLoseNothing) {
    constexpr int threads = 300;
    constexpr uint64_t events = 1000;
    set_environment("OVNI_BUFFER", "256k");
    run_traced([] { emit_from_threads(threads, events); });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(printed_errors(), "");
    ASSERT_EQ(streams().size(), size_t{threads});
    for (const RecordedStream& recorded : streams()) expect_numbers(recorded, "OB.", events);
}

TEST_F(SharedModeTest, ThreadsOneAfterTheOtherFindSeats) {
    constexpr int threads = 270;
    set_environment("OVNI_BUFFER", "256k");
    run_traced([] {
        ovni_proc_init(7, test_loom, test_pid);
        for (int t = 0; t < threads; ++t)
            std::thread([t] {
                ovni_thread_init(100 + t);
                for (uint64_t i = 1; i <= 10; ++i) emit("OB.", i);
                if (t % 2 == 0) ovni_thread_free();
            }).join();
        ovni_proc_fini();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    ASSERT_EQ(streams().size(), size_t{threads});
    for (const RecordedStream& recorded : streams()) expect_numbers(recorded, "OB.", 10);
}

// The drainer of the process gets no time while the thread is at work.
void starve_the_drainer() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (const auto& task : fs::directory_iterator("/proc/self/task")) {
        if (file_content(task.path() / "comm") != "ovni-drainer\n") continue;
        pid_t drainer = std::stoi(task.path().filename().string());
        sched_param none{};
        sched_setscheduler(drainer, SCHED_IDLE, &none);
        sched_setaffinity(drainer, sizeof one, &one);
    }
}

TEST_F(SharedModeTest, DiscardedEventsAreCountedAndAGap) {
    constexpr uint64_t events = 1'000'000;
    set_environment("OVNI_BUFFER", "256k");
    set_environment("OVNI_ON_FULL", "discard");
    run_traced([] {
        start();
        put_begin(ovni_clock_now());
        ovni_flush();
        starve_the_drainer();
        for (uint64_t i = 1; i <= events; ++i) emit("OB.", i);
        put("OHe", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.events.front().code, "OHx");
    EXPECT_EQ(recorded.events.back().code, "OHe");
    EXPECT_TRUE(recorded.clocks_never_decrease());
    std::map<uint64_t, uint64_t> lost_before;
    for (const auto& gap : recorded.gaps["gaps"]) {
        EXPECT_EQ(gap["reason"], "discarded");
        lost_before[gap["offset"]] += gap["lost"].get<uint64_t>();
    }
    uint64_t number = 0, lost = 0;
    for (const RecordedEvent& event : recorded.events) {
        number += lost_before[event.offset];
        lost += lost_before[event.offset];
        if (event.code == "OB.") {
            ASSERT_EQ(event.argument<uint64_t>(0), ++number);
        }
    }
    EXPECT_EQ(number, events);
    EXPECT_EQ(recorded.json["ovni"].value("lost", uint64_t{0}), lost);
    EXPECT_GT(lost, 0u);
}

TEST_F(SharedModeTest, ForkedChildrenHaveBuffersOfTheirOwn) {
    if (no_forked_children) GTEST_SKIP() << no_forked_children;
    constexpr uint64_t events = 100'000;
    constexpr int children = 3;
    run_traced([] {
        start();
        for (uint64_t i = 1; i <= 1000; ++i) emit("OB.", i);
        for (int c = 0; c < children; ++c)
            if (fork() == 0) {
                for (uint64_t i = 1; i <= events; ++i) emit("OC.", i);
                ::exit(0);
            }
        for (uint64_t i = 1001; i <= events; ++i) emit("OB.", i);
        int wrong = 0;
        for (int c = 0, result = 0; c < children; ++c) wrong += wait(&result) < 0 || result != 0;
        stop();
        ::exit(wrong);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    ASSERT_EQ(streams().size(), size_t{children + 1});
    for (const RecordedStream& recorded : streams())
        if (recorded.json["ovni"]["pid"] == test_pid)
            expect_numbers(recorded, "OB.", events);
        else
            expect_numbers(recorded, "OC.", events);
    EXPECT_EQ(shared_buffers(), 0u);
}

TEST_F(SharedModeTest, ExitInAHandlerAmidAnEmissionKeepsAllBeforeIt) {
    if (below_tsan)
        GTEST_SKIP() << "ThreadSanitizer takes exit() in a handler for a mistake, which the program makes";
    run_traced([this] {
        static volatile uint64_t emitted = 0;
        static const std::string told = home() / "told";
        start();
        signal(SIGALRM, [](int) {
            FILE* file = fopen(told.c_str(), "w");
            fprintf(file, "%lu", static_cast<uint64_t>(emitted));
            fclose(file);
            ::exit(5);
        });
        itimerval soon{{0, 0}, {0, 20'000}};
        setitimer(ITIMER_REAL, &soon, nullptr);
        for (uint64_t i = 1;; ++i) {
            emit("OB.", i);
            emitted = i;
        }
    });
    EXPECT_EQ(status(), 5) << printed_errors();
    uint64_t told = std::stoull(file_content(home() / "told")), number = 0;
    RecordedStream recorded = stream();
    for (const RecordedEvent& event : recorded.events) ASSERT_EQ(event.argument<uint64_t>(0), ++number);
    EXPECT_GE(number, told);
    EXPECT_LE(number, told + 1);
    EXPECT_EQ(recorded.json["ovni"]["end"]["code"], 5);
}

TEST_F(SharedModeTest, JumbosOfSeveralThreadsInPartsArriveWhole) {
    constexpr int threads = 3, events = 20;
    run_traced([] {
        ovni_proc_init(7, test_loom, test_pid);
        std::vector<std::thread> team;
        for (int t = 0; t < threads; ++t)
            team.emplace_back([t] {
                ovni_thread_init(100 + t);
                for (uint32_t i = 1; i <= events; ++i) {
                    std::vector<uint8_t> data(i * 50'000,
                                              static_cast<uint8_t>(i + 100 * static_cast<uint32_t>(t)));
                    ovni_ev jumbo = event("VYc", ovni_clock_now());
                    ovni_ev_jumbo_emit(&jumbo, data.data(), static_cast<uint32_t>(data.size()));
                    emit("OB.", uint64_t{i});
                }
                ovni_thread_free();
            });
        for (std::thread& thread : team) thread.join();
        ovni_proc_fini();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    ASSERT_EQ(streams().size(), size_t{threads});
    for (const RecordedStream& recorded : streams()) {
        expect_numbers(recorded, "OB.", events);
        ASSERT_EQ(recorded.events.size(), size_t{2 * events});
        auto t = recorded.json["ovni"]["tid"].get<uint32_t>() - 100;
        for (uint32_t i = 1; i <= events; ++i) {
            std::string data = recorded.events[2 * (i - 1)].payload.substr(4);
            ASSERT_EQ(data, std::string(i * 50'000, static_cast<char>(static_cast<uint8_t>(i + 100 * t))));
        }
    }
}

TEST_F(SharedModeTest, AnotherValueIsToldAndLeavesTheDefault) {
    set_environment("OVNI_BUFFER_MODE", "both");
    run_traced([this] {
        start();
        emit("OB.");
        bool none = shared_buffers() == 0;
        stop();
        ::exit(!none);
    });
    EXPECT_EQ(status(), 0);
    EXPECT_THAT(printed_errors(), HasSubstr("OVNI_BUFFER_MODE is rings or shared, not both"));
    EXPECT_EQ(codes(), "OB.");
}

TEST(SharedModeOption, OvnirunTakesTheTwoModes) {
    Finished done = run({program("ovnirun"), "--buffer-mode", "both", "true"});
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("--buffer-mode is rings|shared, not 'both'"));
}

}  // namespace
}  // namespace ovni::test
