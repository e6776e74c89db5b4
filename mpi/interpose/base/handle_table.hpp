// A hash table from MPI handles, or other numbers, to values. Not locked. It allocates its own memory, whose
// size follows the largest number of entries held at a time. If memory runs out, nothing is added, and the
// trace lacks details.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <type_traits>

#include "core/probing.hpp"

namespace ovni::mpi {

constexpr uint64_t mix(uint64_t a, uint64_t b = 0) noexcept {
    // The finaliser of the generator splitmix64.
    uint64_t x = a + (b + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// A handle as a key: handles are addresses or small numbers.
template <class Handle>
uint64_t key_of(Handle handle) noexcept {
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<uintptr_t>(handle);
    else
        return static_cast<uint64_t>(handle);
}

// `least`: slots of the smallest table, a power of 2.
template <class Value, size_t least = 64>
class HandleTable {
    static_assert(std::is_trivially_copyable_v<Value> && std::has_single_bit(least) && least > 1);

 public:
    constexpr HandleTable() = default;
    HandleTable(const HandleTable&) = delete;
    HandleTable& operator=(const HandleTable&) = delete;

    // The value of the key, or null; valid until the next change.
    Value* find(uint64_t key) noexcept {
        if (used_ == 0) return nullptr;
        Slot& slot = slot_of(key);
        return slot.used ? &slot.value : nullptr;
    }
    // The value of the key, a new one if there was none; null without memory.
    Value* insert(uint64_t key) noexcept {
        if (Probing<Slot>::is_full(used_, size_) && !grow()) return nullptr;
        Slot& slot = slot_of(key);
        if (!slot.used) {
            slot = {key, true, {}};
            ++used_;
        }
        return &slot.value;
    }
    void clear() noexcept {
        free(slots_);
        slots_ = nullptr;
        size_ = used_ = 0;
    }
    // Calls visit(value) for each value.
    template <class Visit>
    void visit(Visit visit) noexcept {
        for (size_t i = 0; i < size_; ++i)
            if (slots_[i].used) visit(slots_[i].value);
    }
    void erase(uint64_t key) noexcept {
        if (used_ == 0) return;
        Slot& slot = slot_of(key);
        if (!slot.used) return;
        Probing<Slot>(all()).erase(slot);
        --used_;
    }

 private:
    struct Slot {
        uint64_t key = 0;
        bool used = false;
        Value value{};
        bool is_free() const noexcept { return !used; }
    };

    std::span<Slot> all() const noexcept { return {slots_, size_}; }
    Slot& slot_of(uint64_t key) const noexcept { return Probing<Slot>(all()).slot_of(key); }
    bool grow() noexcept {
        const size_t size = size_ == 0 ? least : 2 * size_;
        auto* larger = static_cast<Slot*>(calloc(size, sizeof(Slot)));
        if (!larger) return false;
        Probing<Slot>({larger, size}).take(all());
        free(slots_);
        slots_ = larger;
        size_ = size;
        return true;
    }

    Slot* slots_ = nullptr;
    size_t size_ = 0, used_ = 0;
};

}  // namespace ovni::mpi
