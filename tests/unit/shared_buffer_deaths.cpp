// The shared buffer with threads that are cancelled and processes that are killed.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <memory>

#include "tests/unit/shared_buffer_drainer.hpp"

namespace ovni::test {
namespace {

using namespace std::chrono_literals;

// Emits until it is cancelled, wherever it is, or killed; what it counts is there.
struct Doomed {
    const writer::SharedBuffer* buffer;
    uint32_t tid;
    std::atomic<uint64_t> committed;
};

void emit_for_ever(Doomed& doomed) {
    writer::SharedProducer producer;
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
    writer::SharedProducer producer;
    const writer::SharedBuffer* buffer;
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
    if (is_asan)
        GTEST_SKIP() << "AddressSanitizer does not see that cancellation leaves the frames of a stack";
    make({.capacity = 65536, .seats = 8});
    start_reading();
    constexpr int rounds = 100;
    std::atomic<bool> is_done{false};
    std::thread survivor([&] {
        writer::SharedProducer producer;
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
    // The drainer is a process that has no other threads when it forks.
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
        EXPECT_TRUE(writer::thread_lives(own_pid(), tid, 0));
        EXPECT_FALSE(writer::thread_lives(own_pid(), tid, 1));  // began later than this
    }).join();
    auto until = std::chrono::steady_clock::now() + 10s;
    while (writer::thread_lives(own_pid(), tid, 0) && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);
    EXPECT_FALSE(writer::thread_lives(own_pid(), tid, 0));
    pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
    EXPECT_FALSE(writer::thread_lives(static_cast<uint32_t>(child), static_cast<uint32_t>(child), 0));
    waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace ovni::test
