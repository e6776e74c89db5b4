// Threads that wait for a lock.
#include <pthread.h>

#include <array>
#include <functional>
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

// Four threads, the main one among them. Each holds the lock for 10 of 16 ms, and so waits for 24 more.
void lock_contention() {
    std::array<Seconds, 4> waited{};
    const auto work = [](Seconds& of_thread) {
        for (int i = 0; i < 25; ++i) {
            of_thread += update_table();
            compute(6);
        }
    };
    std::vector<std::thread> others;
    for (size_t i = 1; i < waited.size(); ++i) others.emplace_back(work, std::ref(waited[i]));
    work(waited[0]);
    for (std::thread& thread : others) thread.join();
    for (const Seconds& of_thread : waited) facts.lost += of_thread;
    facts.line = line_of_lock;
}

}  // namespace planted
