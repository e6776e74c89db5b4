// A map from ids that a program chose (of tasks, of bodies) to positions in an array. Grows; nothing is ever
// removed. Open addressing, because a task runtime looks up an id with nearly every event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ovni {

class IdMap {
 public:
    static constexpr uint32_t none = 0xffffffff;

    uint32_t find(uint64_t id) const {
        if (slots_.empty()) return none;
        return slots_[slot_of(id)].position;
    }
    // False where the id is there already.
    bool insert(uint64_t id, uint32_t position) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[slot_of(id)];
        if (slot.position != none) return false;
        slot = {id, position};
        ++count_;
        return true;
    }

 private:
    struct Slot {
        uint64_t id = 0;
        uint32_t position = none;
    };

    // The slot of the id, or the one where it would be.
    size_t slot_of(uint64_t id) const {
        size_t mask = slots_.size() - 1;
        size_t at = (id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
        while (slots_[at].position != none && slots_[at].id != id) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        constexpr size_t first_size = 16;
        std::vector<Slot> old =
            std::exchange(slots_, std::vector<Slot>(slots_.empty() ? first_size : 2 * slots_.size()));
        for (const Slot& slot : old)
            if (slot.position != none) slots_[slot_of(slot.id)] = slot;
    }

    std::vector<Slot> slots_;
    size_t count_ = 0;
};

}  // namespace ovni
