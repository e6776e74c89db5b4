// A table from handles of MPI (or any other number) to what is known of them. Linear probing, memory of its
// own that only grows with what is in it at a time. Not locked. Without memory nothing is added, which only
// costs details of the trace.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

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

// `least`: places of the smallest table, a power of 2.
template <class Value, size_t least = 64>
class HandleTable {
    static_assert(std::is_trivially_copyable_v<Value>);

 public:
    constexpr HandleTable() = default;
    HandleTable(const HandleTable&) = delete;
    HandleTable& operator=(const HandleTable&) = delete;

    // The value of the key, or null; valid until the next change.
    Value* find(uint64_t key) noexcept {
        if (used_ == 0) return nullptr;
        Slot& slot = slots_[place_of(key)];
        return slot.used ? &slot.value : nullptr;
    }
    // The value of the key, a new one if there was none; null without memory.
    Value* insert(uint64_t key) noexcept {
        if (4 * (used_ + 1) > 3 * room_ && !grow()) return nullptr;
        Slot& slot = slots_[place_of(key)];
        if (!slot.used) {
            slot = {key, true, {}};
            ++used_;
        }
        return &slot.value;
    }
    void clear() noexcept {
        free(slots_);
        slots_ = nullptr;
        room_ = used_ = 0;
    }
    // Calls visit(value) for each.
    template <class Visit>
    void visit(Visit visit) noexcept {
        for (size_t i = 0; i < room_; ++i)
            if (slots_[i].used) visit(slots_[i].value);
    }
    void erase(uint64_t key) noexcept {
        if (used_ == 0) return;
        size_t hole = place_of(key);
        if (!slots_[hole].used) return;
        slots_[hole].used = false;
        --used_;
        // An entry that was put behind the hole because the place was taken moves into it.
        for (size_t at = next(hole); slots_[at].used; at = next(at)) {
            size_t home = home_of(slots_[at].key);
            if (((at - home) & (room_ - 1)) < ((at - hole) & (room_ - 1))) continue;
            slots_[hole] = slots_[at];
            slots_[at].used = false;
            hole = at;
        }
    }

 private:
    struct Slot {
        uint64_t key = 0;
        bool used = false;
        Value value{};
    };

    // Knuth, The Art of Computer Programming 3, 6.4: multiplicative hashing by the golden ratio.
    size_t home_of(uint64_t key) const noexcept { return key * 0x9e3779b97f4a7c15u >> unused_bits_; }
    size_t next(size_t at) const noexcept { return (at + 1) & (room_ - 1); }
    size_t place_of(uint64_t key) const noexcept {
        size_t at = home_of(key);
        while (slots_[at].used && slots_[at].key != key) at = next(at);
        return at;
    }
    bool grow() noexcept {
        size_t old_room = room_, room = room_ == 0 ? least : 2 * room_;
        auto* slots = static_cast<Slot*>(calloc(room, sizeof(Slot)));
        if (!slots) return false;
        Slot* old = slots_;
        slots_ = slots;
        room_ = room;
        unused_bits_ = static_cast<unsigned>(std::countl_zero(room)) + 1;
        for (size_t i = 0; i < old_room; ++i)
            if (old[i].used) slots_[place_of(old[i].key)] = old[i];
        free(old);
        return true;
    }

    Slot* slots_ = nullptr;
    size_t room_ = 0, used_ = 0;
    unsigned unused_bits_ = 0;  // of 64, for a place
};

}  // namespace ovni::mpi
