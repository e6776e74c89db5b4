// Signal handlers that emit, also while they interrupt an emission.
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include <atomic>

#include "ovni/emit.hpp"
#include "runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

using HandlerTest = RuntimeTest;

std::atomic<uint64_t> from_handler{0};

// Every 20 us of CPU, or as often as the kernel does it.
void interrupt_often(void (*handler)(int), int flags = SA_RESTART) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(SIGALRM, &action, nullptr);
    itimerval every{{0, 20}, {0, 20}};
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
    constexpr uint64_t count = 3'000'000;
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

sigjmp_buf escape;

// The emission that the handler leaves for good may be lost or not; all others are there.
TEST_F(HandlerTest, LongjmpOutOfAnEmission) {
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
