// The shared buffer with threads that run, are interrupted, cancelled and killed.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "unit/shared_buffer_test.hpp"

namespace ovni::test {
namespace {

using namespace std::chrono_literals;

constexpr EventCode own("OB."), handled("OU["), large("VYc");

#if defined(__SANITIZE_THREAD__)
constexpr bool is_tsan = true;
#else
constexpr bool is_tsan = false;
#endif

class SharedBufferThreads : public SharedBufferTest {
 protected:
    // The daemon: reads until it is told that no producer is left, and then what there still is.
    void start_reading(SharedReader::Lives lives = thread_lives) {
        ASSERT_TRUE(reader_.open(buffer_, lives));
        daemon_ = std::thread([this] {
            for (;;) {
                bool is_last = producers_ended_.load();
                size_t count = reader_.read(arrivals_);
                reader_.release();
                if (is_last && reader_.is_drained()) return;
                if (count == 0) reader_.sleep(1'000'000);
            }
        });
    }
    void stop_reading() {
        producers_ended_ = true;
        daemon_.join();
        EXPECT_EQ(arrivals_.torn(), 0u);
        EXPECT_EQ(arrivals_.out_of_order(), 0u);
        EXPECT_EQ(header().damaged_bytes.load(), 0u);
        EXPECT_EQ(arrivals_.space() + header().lost_bytes.load(), header().reserved.load());
        EXPECT_EQ(header().freed.load(), header().reserved.load());
    }
    void run_producers(int count, const std::function<void(SharedProducer&, uint32_t tid)>& body) {
        std::vector<std::thread> threads;
        for (int i = 0; i < count; ++i)
            threads.emplace_back([&] {
                SharedProducer producer;
                uint32_t tid = own_tid();
                EXPECT_TRUE(producer.open(buffer_, own_pid(), tid));
                body(producer, tid);
                producer.close();
            });
        for (std::thread& thread : threads) thread.join();
    }

    SharedReader reader_;
    Arrivals arrivals_;
    std::atomic<bool> producers_ended_{false};
    std::thread daemon_;
};

TEST_F(SharedBufferThreads, EveryRecordArrivesOnceInTheOrderOfItsThread) {
    constexpr uint64_t each = 20'000;
    for (int threads : {1, 2, 4, 8}) {
        std::filesystem::remove(file());
        unmap(memory_);
        make({.capacity = 4096});
        producers_ended_ = false;
        arrivals_ = {};
        start_reading();
        run_producers(threads, [](SharedProducer& producer, uint32_t) {
            for (uint64_t i = 0; i < each; ++i) {
                if (i % 16 == 15)
                    ASSERT_TRUE(producer.write_jumbo(large, i, bytes_of(numbered_words(i / 16, 400))));
                else
                    ASSERT_TRUE(producer.write(own, i, Numbered(i - i / 16)));
            }
        });
        stop_reading();
        EXPECT_EQ(arrivals_.count(), each * static_cast<uint64_t>(threads));
        EXPECT_EQ(header().discarded.load() + header().lost_records.load(), 0u);
    }
}

TEST_F(SharedBufferThreads, DiscardingIsCountedExactly) {
    make({.capacity = 4096, .on_full = OnFull::discard});
    start_reading();
    std::atomic<uint64_t> written{0}, refused{0}, refused_last{0};
    run_producers(4, [&](SharedProducer& producer, uint32_t) {
        uint64_t own_written = 0, own_refused = 0, since = 0;
        while (own_refused < 20'000 || own_written < 1'000) {
            bool done = producer.write(own, own_written, Numbered(own_written));
            own_written += done;
            own_refused += !done;
            since = done ? 0 : since + 1;
        }
        written += own_written;
        refused += own_refused;
        refused_last += since;
    });
    stop_reading();
    EXPECT_EQ(arrivals_.count(), written);
    EXPECT_EQ(header().discarded.load(), refused);
    EXPECT_EQ(arrivals_.lost_before(), refused - refused_last);
}

// What a handler of the thread emits with, and what it has emitted.
struct Interrupted {
    SharedProducer producer;
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

TEST_F(SharedBufferThreads, HandlersEmitInTheMiddleOfRecords) {
    if (is_tsan) GTEST_SKIP() << "ThreadSanitizer puts signals off until no emission is interrupted";
    make({.capacity = 8192});
    start_reading();
    HandledSignal signal(emit_in_handler);
    constexpr uint64_t records = 20'000;
    std::atomic<uint64_t> expected{0}, refused{0};
    auto body = [&] {
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
    };
    std::thread first(body), second(body);
    first.join();
    second.join();
    stop_reading();
    EXPECT_EQ(arrivals_.count(), expected);
    EXPECT_EQ(header().discarded.load(), refused);
    EXPECT_EQ(header().lost_records.load(), 0u);
    RecordProperty("handled", static_cast<int>(expected - 2 * records));
}

class SharedBufferJumps : public SharedBufferThreads, public ::testing::WithParamInterface<int> {};

TEST_P(SharedBufferJumps, OutOfARecordItIsGivenUp) {
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
    while (here.jumps < 500) {
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
    daemon_.join();
    EXPECT_GE(arrivals_.count(), returned + 1);
    EXPECT_LE(arrivals_.count(), calls + 1);
    EXPECT_GT(header().lost_records.load(), 0u);
    EXPECT_LE(header().lost_records.load(), here.jumps);
    RecordProperty("discarded", static_cast<int>(header().discarded.load()));
    RecordProperty("lost", static_cast<int>(header().lost_records.load()));
    EXPECT_EQ(arrivals_.space() + header().lost_bytes.load(), header().reserved.load());
}

INSTANTIATE_TEST_SUITE_P(Stacks, SharedBufferJumps, ::testing::Values(0, SA_ONSTACK));

// Emits until it is cancelled, wherever it is, or killed; what it counts is there.
struct Doomed {
    const SharedBuffer* buffer;
    uint32_t tid;
    std::atomic<uint64_t> committed;
};

void emit_for_ever(Doomed& doomed) {
    SharedProducer producer;
    producer.open(*doomed.buffer, own_pid(), own_tid());
    doomed.tid = own_tid();
    std::vector<uint64_t> words = numbered_words(0, 8000);
    for (uint64_t i = 0;;) {
        for (size_t w = 0; w < words.size(); ++w) words[w] = w % 2 == 0 ? i : ~i;
        // Refused while the seats of the dead are not yet taken back.
        if (producer.write_jumbo(large, i, bytes_of(words))) doomed.committed.store(++i);
    }
}

// Asynchronous cancellation unwinds from any instruction: no cleanup and no destructor may be in its way.
struct Cancelled {
    SharedProducer producer;
    const SharedBuffer* buffer;
    uint32_t tid;
    std::atomic<uint64_t> committed;
    uint64_t words[1000];
};

void* emit_until_cancelled(void* argument) {
    auto* own_part = static_cast<Cancelled*>(argument);
    own_part->tid = own_tid();
    own_part->producer.open(*own_part->buffer, own_pid(), own_part->tid);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    for (uint64_t i = 0;;) {
        for (size_t w = 0; w < 1000; ++w) own_part->words[w] = w % 2 == 0 ? i : ~i;
        std::span<const uint8_t> data(reinterpret_cast<const uint8_t*>(own_part->words), 8000);
        if (own_part->producer.write_jumbo(large, i, data)) own_part->committed.store(++i);
    }
    return nullptr;
}

TEST_F(SharedBufferThreads, CancelledThreadsHoldNobodyUp) {
    if (is_tsan) GTEST_SKIP() << "ThreadSanitizer does not survive asynchronous cancellation";
    make({.capacity = 65536, .seats = 8});
    start_reading();
    constexpr int rounds = 100;
    std::atomic<bool> is_done{false};
    std::thread survivor([&] {
        SharedProducer producer;
        EXPECT_TRUE(producer.open(buffer_, own_pid(), own_tid()));
        for (uint64_t i = 0; !is_done; ++i) ASSERT_TRUE(producer.write(own, i, Numbered(i)));
        producer.close();
    });
    std::vector<std::unique_ptr<Cancelled>> all;
    for (int round = 0; round < rounds; ++round) {
        all.push_back(std::make_unique<Cancelled>());
        all.back()->buffer = &buffer_;
        pthread_t thread;
        ASSERT_EQ(pthread_create(&thread, nullptr, emit_until_cancelled, all.back().get()), 0);
        std::this_thread::sleep_for(std::chrono::microseconds(500 + 37 * round));
        pthread_cancel(thread);
        pthread_join(thread, nullptr);
    }
    is_done = true;
    survivor.join();
    stop_reading();
    for (const auto& one : all) {
        uint64_t arrived = arrivals_.count_of(own_pid(), one->tid, large);
        EXPECT_GE(arrived, one->committed);
        EXPECT_LE(arrived, one->committed + 1);
    }
    EXPECT_LE(header().lost_records.load(), static_cast<uint64_t>(rounds));
    RecordProperty("lost", static_cast<int>(header().lost_records.load()));
}

TEST_F(SharedBufferThreads, KilledProcessesHoldNobodyUp) {
    make({.capacity = 65536, .seats = 8});
    size_t notes_size = sizeof(Doomed) * 2;
    void* notes = mmap(nullptr, notes_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(notes, MAP_FAILED);
    auto* doomed = static_cast<Doomed*>(notes);
    // The daemon is a process that has no other threads when it forks.
    ASSERT_TRUE(reader_.open(buffer_));
    auto read = [&] {
        reader_.read(arrivals_);
        reader_.release();
    };
    int rounds = is_tsan ? 10 : 50;
    for (int round = 0; round < rounds; ++round) {
        std::memset(notes, 0, notes_size);
        pid_t children[2];
        for (int i = 0; i < 2; ++i) {
            children[i] = fork();
            if (children[i] != 0) continue;
            doomed[i].buffer = &buffer_;
            emit_for_ever(doomed[i]);
        }
        auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(3000 + 111 * round);
        while (std::chrono::steady_clock::now() < until) read();
        // The first dies, the second goes on: it needs the whole buffer once more.
        kill(children[0], SIGKILL);
        uint64_t enough = doomed[1].committed + 100;
        while (doomed[1].committed < enough) read();
        kill(children[1], SIGKILL);
        for (pid_t child : children) waitpid(child, nullptr, 0);
        while (!reader_.is_drained()) read();
        for (int i = 0; i < 2; ++i) {
            uint64_t arrived = arrivals_.count_of(static_cast<uint32_t>(children[i]), doomed[i].tid, large);
            EXPECT_GE(arrived, doomed[i].committed);
            EXPECT_LE(arrived, doomed[i].committed + 1);
        }
    }
    munmap(notes, notes_size);
    EXPECT_EQ(arrivals_.torn() + arrivals_.out_of_order(), 0u);
    EXPECT_EQ(header().damaged_bytes.load(), 0u);
    EXPECT_LE(header().lost_records.load(), 2u * static_cast<uint64_t>(rounds));
    EXPECT_EQ(arrivals_.space() + header().lost_bytes.load(), header().reserved.load());
    RecordProperty("lost", static_cast<int>(header().lost_records.load()));
}

TEST_F(SharedBufferThreads, AThreadLivesUntilItHasEnded) {
    uint32_t tid = 0;
    std::thread([&] {
        tid = own_tid();
        EXPECT_TRUE(thread_lives(own_pid(), tid, 0));
        EXPECT_FALSE(thread_lives(own_pid(), tid, 1));  // began later than this
    }).join();
    auto until = std::chrono::steady_clock::now() + 10s;
    while (thread_lives(own_pid(), tid, 0) && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);
    EXPECT_FALSE(thread_lives(own_pid(), tid, 0));
    pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
    EXPECT_FALSE(thread_lives(static_cast<uint32_t>(child), static_cast<uint32_t>(child), 0));
    waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace ovni::test
