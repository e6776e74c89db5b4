#include "threads/objects.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

namespace ovni::threads {

namespace {

struct Entry {
    std::atomic<uint64_t> key;
    std::atomic<int32_t> tid;  // of a thread, or of the one that runs a function once
};

constexpr uint32_t entries = 1u << 16, most_probes = 64;
constexpr unsigned address_bits = 56;
constinit Entry table[entries] = {};  // its pages are allocated when they are used

uint64_t key_of(char kind, const void* object) {
    constexpr uint64_t address_mask = (uint64_t{1} << address_bits) - 1;
    return (reinterpret_cast<uint64_t>(object) & address_mask) |
           static_cast<uint64_t>(static_cast<uint8_t>(kind)) << address_bits;
}

// Entry 0 is the number of objects that have none.
uint32_t find(uint64_t key) noexcept {
    constexpr unsigned shift = 64 - 16;
    uint64_t place = key * 0x9e3779b97f4a7c15u >> shift;
    for (uint32_t probe = 0; probe < most_probes; ++probe, ++place) {
        uint32_t number = place % entries;
        if (number == 0) continue;
        uint64_t seen = table[number].key.load(std::memory_order_relaxed);
        if (seen == 0 && table[number].key.compare_exchange_strong(seen, key)) return number;
        if (seen == key) return number;
    }
    return 0;
}

int32_t own_tid() noexcept {
    return static_cast<int32_t>(syscall(SYS_gettid));
}

// The owner is stored right after the lock is taken, so there may be none for a moment.
int32_t owner_of(const pthread_mutex_t& mutex) noexcept {
    constexpr int looks = 64, futex_kinds = 0x30;  // robust, with priority inheritance
    const bool has_owner_in_lock =
        (__atomic_load_n(&mutex.__data.__kind, __ATOMIC_RELAXED) & futex_kinds) != 0;
    for (int look = 0; look < looks; ++look) {
        auto lock = static_cast<uint32_t>(__atomic_load_n(&mutex.__data.__lock, __ATOMIC_RELAXED));
        int32_t owner = has_owner_in_lock ? static_cast<int32_t>(lock & FUTEX_TID_MASK)
                                          : __atomic_load_n(&mutex.__data.__owner, __ATOMIC_RELAXED);
        if (owner != 0 || lock == 0) return owner;
        __builtin_ia32_pause();
    }
    return 0;
}

}  // namespace

uint32_t number_of(State state, const void* object) noexcept {
    return find(key_of(kind_of(state), object));
}

int32_t holder_of(State state, const void* object) noexcept {
    switch (state) {
        case State::mutex:
            return owner_of(*static_cast<const pthread_mutex_t*>(object));
        case State::read:
        case State::write:
            return __atomic_load_n(&static_cast<const pthread_rwlock_t*>(object)->__data.__cur_writer,
                                   __ATOMIC_RELAXED);
        case State::join:
        case State::once: {
            int32_t tid = table[number_of(state, object)].tid.load(std::memory_order_relaxed);
            return tid == own_tid() ? 0 : tid;
        }
        default:
            return 0;
    }
}

void thread_lives(bool lives) noexcept {
    uint32_t number = number_of(State::join, reinterpret_cast<const void*>(pthread_self()));
    if (number != 0) table[number].tid.store(lives ? own_tid() : 0, std::memory_order_relaxed);
}

void runs_once(const void* object) noexcept {
    uint32_t number = number_of(State::once, object);
    int32_t nobody = 0;
    if (number != 0) table[number].tid.compare_exchange_strong(nobody, own_tid());
}

}  // namespace ovni::threads
