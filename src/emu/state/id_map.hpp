// A map from ids that a program chose (of tasks, of bodies) to positions in an array. Grows; nothing is ever
// removed. A task runtime looks up an id with nearly every event. Most runtimes count, so an array finds the
// positions of most ids; a hash table with open addressing has those that are far beyond the others.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ovni {

class IdMap {
 public:
    static constexpr uint32_t none = 0xffffffff;

    uint32_t find(uint64_t id) const {
        if (id < positions_.size() && positions_[id] != none) return positions_[id];
        return slots_.empty() ? none : slots_[slot_of(id)].position;
    }
    // False where the id is there already.
    bool insert(uint64_t id, uint32_t position) {
        if (id < positions_.size() && positions_[id] != none) return false;
        if (2 * (in_slots_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[slot_of(id)];
        if (slot.position != none) return false;
        if (id / entries_per_id <= count_) {
            if (id >= positions_.size()) positions_.resize(id + 1, none);
            positions_[id] = position;
        } else {
            slot = {id, position};
            ++in_slots_;
        }
        ++count_;
        return true;
    }

 private:
    struct Slot {
        uint64_t id = 0;
        uint32_t position = none;
    };
    // So many entries of the array take as much memory as the slots of an id.
    static constexpr uint64_t entries_per_id = 8;

    // The slot of the id, or the one where it would be. All bits of the id count for the first bits of the
    // product.
    size_t slot_of(uint64_t id) const {
        size_t mask = slots_.size() - 1;
        size_t at = id * UINT64_C(0x9e3779b97f4a7c15) >> shift_;
        while (slots_[at].position != none && slots_[at].id != id) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        constexpr size_t first_size = 16;
        std::vector<Slot> old =
            std::exchange(slots_, std::vector<Slot>(slots_.empty() ? first_size : 2 * slots_.size()));
        shift_ = std::countl_zero(slots_.size()) + 1;
        for (const Slot& slot : old)
            if (slot.position != none) slots_[slot_of(slot.id)] = slot;
    }

    std::vector<uint32_t> positions_;  // by id
    std::vector<Slot> slots_;
    int shift_ = 0;
    size_t count_ = 0, in_slots_ = 0;
};

}  // namespace ovni
