// Signal handlers that emit, also while they interrupt an emission.
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include <atomic>

#include "ovni/emit.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

using HandlerTest = RuntimeTest;

std::atomic<uint64_t> from_handler{0};

// Every 20 us, or as often as the kernel does it; below ThreadSanitizer a handler takes longer than that.
void interrupt_often(void (*handler)(int), int flags = SA_RESTART) {
    constexpr suseconds_t period = below_tsan ? 500 : 20;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(SIGALRM, &action, nullptr);
    itimerval every{{0, period}, {0, period}};
    setitimer(ITIMER_REAL, &every, nullptr);
}
void stop_interrupting() {
    itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
}

// Numbers of both sources are complete and in order, and so are the clocks.
void expect_complete(const RecordedStream& recorded, uint64_t from_loop, uint64_t from_handlers) {
    EXPECT_FALSE(recorded.json["ovni"].contains("lost")) << recorded.json["ovni"]["lost"];
    uint64_t loop = 0, handler = 0;
    for (const RecordedEvent& event : recorded.events) {
        uint64_t& expected = event.code == "OB." ? loop : handler;
        ASSERT_EQ(event.argument<uint64_t>(0), ++expected) << event.code << " at byte " << event.offset;
    }
    EXPECT_EQ(loop, from_loop);
    EXPECT_EQ(handler, from_handlers);
    EXPECT_TRUE(recorded.clocks_never_decrease());
}

uint64_t handlers_told(const std::filesystem::path& file) {
    return std::stoull(file_content(file));
}

// Emits numbers with `emit_one` while `handler` does the same; how many those were is told in a file.
template <class EmitOne>
void emit_and_be_interrupted(uint64_t count, const std::filesystem::path& told, void (*handler)(int),
                             EmitOne emit_one) {
    start();
    interrupt_often(handler);
    for (uint64_t i = 1; i <= count; ++i) emit_one(i);
    stop_interrupting();
    FILE* file = fopen(told.c_str(), "w");
    fprintf(file, "%lu", from_handler.load());
    fclose(file);
    stop();
}

TEST_F(HandlerTest, EventsOfHandlersAndOfWhatTheyInterruptAreThereOnce) {
    constexpr uint64_t count = 1'500'000;
    std::filesystem::path told = home() / "told";
    run_traced([&told] {
        auto handler = [](int) { emit("OB,", ++from_handler); };
        emit_and_be_interrupted(count, told, handler, [](uint64_t i) { emit("OB.", i); });
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    expect_complete(stream(), count, handlers_told(told));
    EXPECT_GT(handlers_told(told), 100u);
}

TEST_F(HandlerTest, ClocksTakenBeforeTheHandlerRanGiveWay) {
    constexpr uint64_t count = 1'000'000;
    std::filesystem::path told = home() / "told";
    run_traced([&told] {
        auto handler = [](int) { put("OB,", ovni_clock_now(), ++from_handler); };
        emit_and_be_interrupted(count, told, handler, [](uint64_t i) { put("OB.", ovni_clock_now(), i); });
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    expect_complete(stream(), count, handlers_told(told));
}

// The handler has a buffer of its own meanwhile, which is too small for so many.
TEST_F(HandlerTest, WhatFindsNoRoomIsAGap) {
    constexpr uint64_t many = 50'000;
    run_traced([] {
        start();
        ovni_add_cpu(0, 0);
        put_begin(ovni_clock_now());
        signal(SIGUSR1, [](int) {
            for (uint64_t i = 0; i < many; ++i) emit("OB.", 100 + i);
        });
        ovni_private_window& window = *ovni_private_thread_window;
        for (uint64_t i = 0; i < 10; ++i) {
            if (!detail::begin_emission(window, "OB.", 20, detail::any_clock)) ::exit(1);
            uint64_t clock = read_clock(*window.clock);
            if (i == 4) raise(SIGUSR1);
            detail::store_event(window.data + window.head, "OB.", clock, i);
            detail::end_emission(window, 20, clock);
        }
        put("OHe", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    auto sixth = std::ranges::find_if(recorded.events, [](const RecordedEvent& event) {
        return event.code == "OB." && event.argument<uint64_t>(0) == 5;
    });
    ASSERT_NE(sixth, recorded.events.end());
    uint64_t kept = recorded.events.size() - 12, lost = 0;
    EXPECT_LT(kept, many);
    for (const auto& gap : recorded.gaps["gaps"]) {
        EXPECT_EQ(gap["offset"], sixth->offset);
        EXPECT_EQ(gap["reason"], "handlers");
        lost += gap["lost"].get<uint64_t>();
    }
    EXPECT_EQ(kept + lost, many);
    EXPECT_EQ(recorded.json["ovni"]["lost"], lost);
    Finished done = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
    EXPECT_EQ(done.status, 0) << done.err;
}

sigjmp_buf escape;

// The emission that the handler leaves for good may be lost or not; all others are there.
TEST_F(HandlerTest, ALongjmpOutOfAnEmissionLosesNoOther) {
    constexpr uint64_t count = 300'000;
    run_traced([] {
        start();
        static volatile uint64_t next = 1;
        sigsetjmp(escape, 1);
        interrupt_often([](int) { siglongjmp(escape, 1); });
        while (next <= count) {
            emit("OB.", uint64_t{next});
            next = next + 1;
        }
        stop_interrupting();
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    uint64_t last = 0;
    for (const RecordedEvent& event : stream().events) {
        auto number = event.argument<uint64_t>(0);
        ASSERT_TRUE(number == last || number == last + 1) << last << " before " << number;
        last = number;
    }
    EXPECT_EQ(last, count);
}

}  // namespace
}  // namespace ovni::test
