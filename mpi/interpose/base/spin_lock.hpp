// A lock for rare steps of the traced program's threads. It yields while it waits, is no cancellation point,
// and needs no library.
#pragma once

#include <sched.h>

#include <atomic>

namespace ovni::mpi {

class SpinLock {
 public:
    class Guard {
     public:
        explicit Guard(SpinLock& lock) noexcept : lock_(lock) {
            while (lock_.taken_.test_and_set(std::memory_order_acquire)) sched_yield();
        }
        ~Guard() { lock_.taken_.clear(std::memory_order_release); }
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

     private:
        SpinLock& lock_;
    };

 private:
    std::atomic_flag taken_;
};

}  // namespace ovni::mpi
