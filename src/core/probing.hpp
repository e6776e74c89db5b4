// Hash tables with open addressing: linear probing in an array of slots. Knuth, The Art of Computer
// Programming 3, 6.4.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ovni {

// Multiplicative hashing by the golden ratio: all bits of the key affect the upper bits of the product.
constexpr size_t golden_hash(uint64_t key, unsigned bits) noexcept {
    constexpr unsigned digits = 64;
    return key * 0x9e3779b97f4a7c15 >> (digits - bits);
}

// The slots of a table. A Slot has a `key` of up to 64 bits and is_free(); Slot{} is free. The number of
// slots is a power of two, at least 2, and at least one slot is free.
template <class Slot>
class Probing {
 public:
    explicit constexpr Probing(std::span<Slot> slots) noexcept : slots_(slots) {}

    // True if a table with `slots` slots, of which `used` are used, should double before another one is used.
    static constexpr bool is_full(size_t used, size_t slots) noexcept { return 2 * (used + 1) > slots; }

    // The slot with the key, or the free slot for it.
    template <class Key>
    Slot& slot_of(Key key) const noexcept {
        size_t at = home_of(key);
        while (!slots_[at].is_free() && slots_[at].key != key) at = next(at);
        return slots_[at];
    }
    // Moves the slots of a smaller array to this one, in which all slots are free.
    void take(std::span<Slot> others) const noexcept {
        for (Slot& slot : others)
            if (!slot.is_free()) slot_of(slot.key) = std::move(slot);
    }
    // Frees the slot. Later slots whose search passes it move up.
    void erase(Slot& slot) const noexcept {
        auto hole = static_cast<size_t>(&slot - slots_.data());
        for (size_t at = next(hole); !slots_[at].is_free(); at = next(at))
            if (way(home_of(slots_[at].key), at) >= way(hole, at)) {
                slots_[hole] = slots_[at];
                hole = at;
            }
        slots_[hole] = Slot{};
    }

 private:
    size_t mask() const noexcept { return slots_.size() - 1; }
    size_t next(size_t at) const noexcept { return (at + 1) & mask(); }
    size_t way(size_t from, size_t to) const noexcept { return (to - from) & mask(); }
    template <class Key>
    size_t home_of(Key key) const noexcept {
        return golden_hash(static_cast<uint64_t>(key),
                           static_cast<unsigned>(std::countr_zero(slots_.size())));
    }

    std::span<Slot> slots_;
};

}  // namespace ovni
