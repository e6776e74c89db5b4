// Numbers values of 64 bits 0, 1, 2... as they are first seen. A value that is known costs one look into a
// table and no allocation. Open addressing; memory grows with the number of values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ovni {

class ValueIndex {
 public:
    static constexpr uint32_t none = 0xffffffff;

    uint32_t size() const { return size_; }
    // `none` if the value was not added.
    uint32_t find(int64_t value) const {
        return slots_.empty() ? none : slots_[slot_of(slots_, value)].number;
    }
    uint32_t find_or_add(int64_t value) {
        uint32_t found = find(value);
        return found != none ? found : add(value);
    }

 private:
    struct Slot {
        int64_t value = 0;
        uint32_t number = none;
    };
    static constexpr size_t first_size = 8;  // a power of two, like every other

    // The slot of the value, or the one that it would get.
    static size_t slot_of(const std::vector<Slot>& slots, int64_t value) {
        constexpr uint64_t spread = 0x9e3779b97f4a7c15;
        constexpr unsigned digits = 64;
        auto shift = digits - static_cast<unsigned>(std::countr_zero(slots.size()));
        size_t at = static_cast<uint64_t>(value) * spread >> shift;
        while (slots[at].number != none && slots[at].value != value) at = (at + 1) & (slots.size() - 1);
        return at;
    }

    [[gnu::cold, gnu::noinline]] uint32_t add(int64_t value) {
        if (2 * (size_t{size_} + 1) > slots_.size()) {
            std::vector<Slot> larger(slots_.empty() ? first_size : 2 * slots_.size());
            for (const Slot& slot : slots_)
                if (slot.number != none) larger[slot_of(larger, slot.value)] = slot;
            slots_ = std::move(larger);
        }
        slots_[slot_of(slots_, value)] = {value, size_};
        return size_++;
    }

    std::vector<Slot> slots_;
    uint32_t size_ = 0;
};

}  // namespace ovni
