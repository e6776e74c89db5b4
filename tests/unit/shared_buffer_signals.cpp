// The shared buffer with threads that are interrupted in their records.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <chrono>

#include "tests/unit/shared_buffer_drainer.hpp"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

namespace ovni::test {
namespace {

using namespace std::chrono_literals;

// The producer with which a handler of the thread emits, and what it has emitted.
struct Interrupted {
    writer::SharedProducer producer;
    uint32_t tid = 0;
    std::atomic<uint64_t> handled{0}, refused{0};
    sigjmp_buf* way_out = nullptr;
    uint64_t jumps = 0;
};
constinit thread_local Interrupted* interrupted = nullptr;

void emit_in_handler(int) {
    Interrupted* here = interrupted;
    if (here == nullptr) return;
    uint64_t number = here->handled.load(std::memory_order_relaxed);
    bool done = here->producer.write(handled, number, Numbered(number));
    (done ? here->handled : here->refused).fetch_add(1, std::memory_order_relaxed);
}

void jump_in_handler(int) {
    Interrupted* here = interrupted;
    if (here == nullptr || here->way_out == nullptr) return;
    sigjmp_buf* way_out = here->way_out;
    here->way_out = nullptr;
    ++here->jumps;
    siglongjmp(*way_out, 1);
}

// Handles SIGUSR1 as said, on a stack of its own if asked for, as long as it lives.
class HandledSignal {
 public:
    explicit HandledSignal(void (*handler)(int), int flags = 0) {
        struct sigaction action {};
        action.sa_handler = handler;
        action.sa_flags = SA_RESTART | flags;
        sigaction(SIGUSR1, &action, &before_);
    }
    ~HandledSignal() { sigaction(SIGUSR1, &before_, nullptr); }

 private:
    struct sigaction before_ {};
};

void disturb(pthread_t thread, const std::atomic<bool>& is_done) {
    while (!is_done) {
        pthread_kill(thread, SIGUSR1);
        std::this_thread::sleep_for(20us);
    }
}

// A stack for handlers that the system says nothing of while one runs there. What is mapped first lies above
// the stacks of threads.
class ForgottenStack {
 public:
    ForgottenStack() {
        stack_.ss_sp = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack_.ss_size = bytes;
        stack_.ss_flags = static_cast<int>(SS_AUTODISARM);
    }
    ~ForgottenStack() { munmap(stack_.ss_sp, bytes); }
    ForgottenStack(const ForgottenStack&) = delete;
    ForgottenStack& operator=(const ForgottenStack&) = delete;
    void use() const {
        EXPECT_EQ(sigaltstack(&stack_, nullptr), 0);
        EXPECT_GT(stack_.ss_sp, __builtin_frame_address(0));
    }
    static void use_none() {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
    }

 private:
    static constexpr size_t bytes = size_t{256} << 10;
    stack_t stack_{};
};

class SharedBufferHandlers : public SharedBufferThreads, public ::testing::WithParamInterface<int> {};

TEST_P(SharedBufferHandlers, EmitInTheMiddleOfRecords) {
    if (is_tsan) GTEST_SKIP() << "ThreadSanitizer puts signals off until no emission is interrupted";
    make({.capacity = 8192});
    start_reading();
    HandledSignal signal(emit_in_handler, GetParam());
    constexpr uint64_t records = 20'000;
    std::atomic<uint64_t> expected{0}, refused{0};
    ForgottenStack stacks[2];
    auto body = [&](const ForgottenStack& stack) {
        stack.use();
        Interrupted here;
        here.tid = own_tid();
        EXPECT_TRUE(here.producer.open(buffer_, own_pid(), here.tid));
        interrupted = &here;
        std::atomic<bool> is_done{false};
        std::thread pest(disturb, pthread_self(), std::cref(is_done));
        for (uint64_t i = 0; i < records; ++i)
            EXPECT_TRUE(here.producer.write_jumbo(large, i, bytes_of(numbered_words(i, 1200))));
        is_done = true;
        pest.join();
        interrupted = nullptr;
        here.producer.close();
        EXPECT_GT(here.handled, 0u);
        expected += records + here.handled;
        refused += here.refused;
        ForgottenStack::use_none();
    };
    std::thread first(body, std::cref(stacks[0])), second(body, std::cref(stacks[1]));
    first.join();
    second.join();
    stop_reading();
    EXPECT_EQ(arrivals_.count(), expected);
    EXPECT_EQ(header().discarded.load(), refused);
    EXPECT_EQ(header().lost_records.load(), 0u);
    RecordProperty("handled", static_cast<int>(expected - 2 * records));
}

INSTANTIATE_TEST_SUITE_P(Stacks, SharedBufferHandlers, ::testing::Values(0, SA_ONSTACK));

class SharedBufferJumps : public SharedBufferThreads, public ::testing::WithParamInterface<int> {};

TEST_P(SharedBufferJumps, ARecordThatAJumpLeavesIsGivenUp) {
    if (is_tsan) GTEST_SKIP() << "ThreadSanitizer puts signals off until no emission is interrupted";
    make({.capacity = 16384});
    start_reading();
    std::vector<std::byte> other_stack(64 << 10);
    stack_t stack{}, before{};
    stack.ss_sp = other_stack.data();
    stack.ss_size = other_stack.size();
    sigaltstack(&stack, &before);
    HandledSignal signal(jump_in_handler, GetParam());
    Interrupted here;
    ASSERT_TRUE(here.producer.open(buffer_, own_pid(), own_tid()));
    interrupted = &here;
    std::atomic<bool> is_done{false};
    std::thread pest(disturb, pthread_self(), std::cref(is_done));
    std::vector<uint8_t> data(4000);
    volatile uint64_t calls = 0, returned = 0;
    sigjmp_buf way_out;
    // Few jumps leave a record behind that was being written.
    auto has_seen_all = [&] { return here.jumps >= 500 && header().lost_records.load() > 0; };
    while (!has_seen_all() && here.jumps < 100'000) {
        if (sigsetjmp(way_out, 1) == 0) here.way_out = &way_out;
        calls = calls + 1;
        if (here.producer.write_jumbo("OB.", 0, data)) returned = returned + 1;
    }
    is_done = true;
    pest.join();
    here.way_out = nullptr;
    EXPECT_TRUE(here.producer.write(own, 0));
    interrupted = nullptr;
    here.producer.close();
    sigaltstack(&before, nullptr);
    producers_ended_ = true;
    drainer_.join();
    EXPECT_GE(arrivals_.count(), returned + 1);
    EXPECT_LE(arrivals_.count(), calls + 1);
    EXPECT_GT(header().lost_records.load(), 0u);
    EXPECT_LE(header().lost_records.load(), here.jumps);
    RecordProperty("discarded", static_cast<int>(header().discarded.load()));
    RecordProperty("lost", static_cast<int>(header().lost_records.load()));
    EXPECT_EQ(arrivals_.space() + header().lost_bytes.load(), header().reserved.load());
}

INSTANTIATE_TEST_SUITE_P(Stacks, SharedBufferJumps, ::testing::Values(0, SA_ONSTACK));

}  // namespace
}  // namespace ovni::test
