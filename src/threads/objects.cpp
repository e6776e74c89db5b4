#include "threads/objects.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "core/probing.hpp"

namespace ovni::threads {

namespace {

struct Entry {
    std::atomic<uint64_t> key;
    std::atomic<int32_t> tid;  // of the thread that has that handle
};

constexpr uint32_t entries = 1u << 16, most_probes = 64;
constexpr unsigned address_bits = 56;
constinit Entry table[entries] = {};  // its pages are allocated when they are used

// Programs may join more threads than there are numbers.
constexpr uint32_t most_joined = entries / 4;
std::atomic<uint32_t> joined{0};

constexpr char handle_kind = 'T';

// A function that runs: at the place of its object, unless another one runs there.
struct Run {
    std::atomic<const void*> object;
    std::atomic<int32_t> tid;
};
constexpr uint32_t most_runs = 256;
constinit Run runs[most_runs] = {};

uint64_t key_of(char kind, const void* object) {
    constexpr uint64_t address_mask = (uint64_t{1} << address_bits) - 1;
    return (reinterpret_cast<uint64_t>(object) & address_mask) |
           static_cast<uint64_t>(static_cast<uint8_t>(kind)) << address_bits;
}

// Entry 0 is the number of objects that have none.
uint32_t find(uint64_t key) noexcept {
    uint64_t place = golden_hash(key, 16);
    for (uint32_t probe = 0; probe < most_probes; ++probe, ++place) {
        uint32_t number = place % entries;
        if (number == 0) continue;
        uint64_t seen = table[number].key.load(std::memory_order_relaxed);
        if (seen == 0 && table[number].key.compare_exchange_strong(seen, key)) return number;
        if (seen == key) return number;
    }
    return 0;
}

bool is_known(uint64_t key) noexcept {
    uint64_t place = golden_hash(key, 16);
    for (uint32_t probe = 0; probe < most_probes; ++probe, ++place) {
        const uint64_t seen = table[place % entries].key.load(std::memory_order_relaxed);
        if (seen == key || seen == 0) return seen == key;
    }
    return false;
}

uint32_t number_of_joined(uint64_t key) noexcept {
    if (is_known(key)) return find(key);
    if (joined.load(std::memory_order_relaxed) >= most_joined) return 0;
    joined.fetch_add(1, std::memory_order_relaxed);
    return find(key);
}

Run& run_of(const void* object) noexcept {
    return runs[golden_hash(reinterpret_cast<uint64_t>(object), 8)];
}

// The clock of a thread's time on CPUs has its tid in its number, as long as the thread lives.
int32_t tid_of(pthread_t thread) noexcept {
    constexpr unsigned bits_of_kind = 3;
    clockid_t clock = 0;
    return pthread_getcpuclockid(thread, &clock) == 0 ? ~(clock >> bits_of_kind) : 0;
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
    const uint64_t key = key_of(kind_of(state), object);
    return state == State::join ? number_of_joined(key) : find(key);
}

int32_t holder_of(State state, const void* object) noexcept {
    switch (state) {
        case State::mutex:
            return owner_of(*static_cast<const pthread_mutex_t*>(object));
        case State::read:
        case State::write:
            return __atomic_load_n(&static_cast<const pthread_rwlock_t*>(object)->__data.__cur_writer,
                                   __ATOMIC_RELAXED);
        case State::join: {
            const auto value = reinterpret_cast<uint64_t>(object);
            const int32_t tid = value <= INT32_MAX ? static_cast<int32_t>(value) : 0;
            return tid == own_tid() ? 0 : tid;
        }
        case State::once: {
            const Run& run = run_of(object);
            const int32_t tid = run.tid.load(std::memory_order_relaxed);
            return run.object.load(std::memory_order_relaxed) == object ? tid : 0;
        }
        default:
            return 0;
    }
}

const void* object_of(pthread_t thread) noexcept {
    const auto* handle = reinterpret_cast<const void*>(thread);
    int32_t tid = tid_of(thread);
    if (const uint64_t key = key_of(handle_kind, handle); tid <= 0 && is_known(key))
        tid = table[find(key)].tid.load(std::memory_order_relaxed);
    return tid > 0 ? reinterpret_cast<const void*>(static_cast<uint64_t>(tid)) : handle;
}

void thread_begins() noexcept {
    const uint32_t number = find(key_of(handle_kind, reinterpret_cast<const void*>(pthread_self())));
    if (number != 0) table[number].tid.store(own_tid(), std::memory_order_relaxed);
}

// If another object has its place, only the C library knows whether a thread runs it.
bool begin_run_once(const pthread_once_t* object) noexcept {
    constexpr int in_progress = 1;
    Run& run = run_of(object);
    const void* seen = nullptr;
    if (run.object.compare_exchange_strong(seen, object)) {
        run.tid.store(own_tid(), std::memory_order_relaxed);
        return true;
    }
    return seen != object && (__atomic_load_n(object, __ATOMIC_RELAXED) & in_progress) == 0;
}

void end_run_once(const void* object) noexcept {
    Run& run = run_of(object);
    if (run.object.load(std::memory_order_relaxed) != object ||
        run.tid.load(std::memory_order_relaxed) != own_tid())
        return;
    run.tid.store(0, std::memory_order_relaxed);
    run.object.store(nullptr, std::memory_order_release);
}

void forget_runs() noexcept {
    for (Run& run : runs) {
        run.tid.store(0, std::memory_order_relaxed);
        run.object.store(nullptr, std::memory_order_relaxed);
    }
}

}  // namespace ovni::threads
