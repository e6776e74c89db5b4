// Threads that wait for a lock.
#include <pthread.h>

#include <array>
#include <thread>
#include <vector>

#include "problem.hpp"

namespace planted {

namespace {

pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

constexpr int line_of_lock = __LINE__ + 4;
// Returns how long it waited.
[[gnu::noinline]] Seconds update_table() {
    const Clock::time_point before = Clock::now();
    pthread_mutex_lock(&table_lock);
    const Seconds waited = Clock::now() - before;
    compute(10);
    pthread_mutex_unlock(&table_lock);
    return waited;
}

}  // namespace

// Four threads, which hold the lock for 10 of 16 ms: each waits for 24 more.
void lock_contention() {
    std::array<Seconds, 4> waited{};
    std::vector<std::thread> threads;
    for (Seconds& of_thread : waited)
        threads.emplace_back([&of_thread] {
            for (int i = 0; i < 25; ++i) {
                of_thread += update_table();
                compute(6);
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const Seconds& of_thread : waited) facts.lost += of_thread;
    facts.line = line_of_lock;
}

}  // namespace planted
