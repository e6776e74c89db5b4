#include "runtime/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <new>
#include <optional>
#include <utility>

#include "core/page.hpp"
#include "runtime/guard.hpp"

namespace ovni::writer {
namespace {

constexpr size_t reserve_bytes = size_t{8} << 20;
constexpr size_t for_drainer = reserve_bytes / 2, short_of = reserve_bytes / 4;
constexpr size_t chunk_bytes = size_t{256} << 10;
constexpr size_t own_mapping = size_t{128} << 10;  // of larger blocks
constexpr int classes = 32;

alignas(page_bytes) uint8_t reserve[reserve_bytes];

// Before the bytes that are handed out.
struct alignas(16) Block {
    size_t bytes;    // header included
    bool is_mapped;  // alone
    Block* next;
};
constexpr size_t header = 32;
static_assert(sizeof(Block) <= header);

// Blocks are powers of two, and stay so; what is large is mapped for itself.
class Arena {
 public:
    constexpr Arena() = default;

    Block* allocate(size_t bytes) noexcept {
        Lock lock(*this);
        if (bytes >= own_mapping) {
            size_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
            if (auto* block = static_cast<Block*>(map(whole))) return *block = {whole, true, nullptr}, block;
        }
        size_t size = std::bit_ceil(std::max(bytes, size_t{64}));
        int kind = std::countr_zero(size);
        if (kind >= classes) return nullptr;
        if (Block* block = free_[kind]) return free_[kind] = block->next, block;
        auto* block = reinterpret_cast<Block*>(carve(size));
        if (block) *block = {size, false, nullptr};
        return block;
    }

    void free(Block* block) noexcept {
        if (block->is_mapped) return void(munmap(block, block->bytes));
        Lock lock(*this);
        Block*& first = free_[std::countr_zero(block->bytes)];
        block->next = first;
        first = block;
    }

    size_t reserve_left() const noexcept { return reserve_bytes - reserve_used_.load(); }
    void lock() noexcept {
        mutex_.lock();
        own_thread_state.holds_memory = true;
    }
    void unlock() noexcept {
        own_thread_state.holds_memory = false;
        mutex_.unlock();
    }
    bool comes_free() noexcept { return mutex_.comes_free(); }
    // Another thread may have been in the middle of a change.
    void forget() noexcept {
        mutex_.forget();
        std::fill_n(free_, classes, nullptr);
        next_ = end_ = nullptr;
    }

 private:
    static void* map(size_t bytes) noexcept {
        void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return memory == MAP_FAILED ? nullptr : memory;
    }

    uint8_t* carve(size_t size) noexcept {
        if (size > static_cast<size_t>(end_ - next_) && size < own_mapping) {
            if (auto* chunk = static_cast<uint8_t*>(map(chunk_bytes)))
                next_ = chunk, end_ = chunk + chunk_bytes;
        }
        if (size <= static_cast<size_t>(end_ - next_)) return std::exchange(next_, next_ + size);
        size_t left = reserve_left();
        if (size > left || (own_thread_state.waits_for_memory && left - size < for_drainer)) return nullptr;
        return reserve + reserve_used_.fetch_add(size);
    }

    Mutex mutex_;
    Block* free_[classes] = {};
    uint8_t *next_ = nullptr, *end_ = nullptr;  // of the newest chunk
    std::atomic<size_t> reserve_used_{0};
};

constinit Immortal<Arena> arena;
constinit std::atomic<size_t> large_metadata{0};

[[maybe_unused]] void* allocate(size_t bytes) noexcept {
    constexpr timespec a_moment{0, 10'000'000};
    std::optional<SlowPath> slow;
    if (!is_inside()) slow.emplace();
    for (;;) {
        if (Block* block = arena.value.allocate(bytes + header))
            return reinterpret_cast<uint8_t*>(block) + header;
        nanosleep(&a_moment, nullptr);
    }
}

[[maybe_unused]] void release(void* memory) noexcept {
    if (!memory) return;
    std::optional<SlowPath> slow;
    if (!is_inside()) slow.emplace();
    arena.value.free(reinterpret_cast<Block*>(static_cast<uint8_t*>(memory) - header));
}

}  // namespace

bool memory_is_short() noexcept {
    return arena.value.reserve_left() < short_of;
}

// Nothing is touched there, and nothing locked.
bool metadata_fit(size_t more) noexcept {
    constexpr size_t copies = 16;  // and texts that grow next to them
    constexpr size_t little = size_t{64} << 10;
    if (more < little) more = 0;
    size_t wanted = copies * (large_metadata.load(std::memory_order_relaxed) + more);
    if (wanted > short_of) {
        void* trial = mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (trial == MAP_FAILED) return false;
        munmap(trial, wanted);
    }
    large_metadata.fetch_add(more, std::memory_order_relaxed);
    return true;
}

void wait_for_memory() noexcept {
    own_thread_state.waits_for_memory = true;
}

void lock_memory() noexcept {
    arena.value.lock();
}

void unlock_memory() noexcept {
    arena.value.unlock();
}

bool memory_comes_free() noexcept {
    return arena.value.comes_free();
}

void forget_memory_lock() noexcept {
    own_thread_state.holds_memory = false;
    arena.value.forget();
}

void leave_memory() noexcept {
    if (own_thread_state.holds_memory) forget_memory_lock();
}

}  // namespace ovni::writer

#ifndef OVNI_USUAL_MEMORY  // sanitizers look at each block

void* operator new(size_t bytes) {
    return ovni::writer::allocate(bytes);
}

void operator delete(void* memory) noexcept {
    ovni::writer::release(memory);
}

void operator delete(void* memory, size_t) noexcept {
    ovni::writer::release(memory);
}

#endif
