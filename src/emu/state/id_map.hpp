// A map from ids that a program chose (of tasks, of bodies) to positions in an array. Grows; nothing is ever
// removed. A task runtime looks up an id with nearly every event. Most runtimes count, so an array finds the
// positions of most ids; a hash table has those that are far beyond the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/probing.hpp"

namespace ovni {

class IdMap {
 public:
    static constexpr uint32_t none = 0xffffffff;

    uint32_t find(uint64_t id) const {
        if (id < positions_.size() && positions_[id] != none) return positions_[id];
        return slots_.empty() ? none : Probing<const Slot>(slots_).slot_of(id).position;
    }
    // False if the id exists already.
    bool insert(uint64_t id, uint32_t position) {
        if (id < positions_.size() && positions_[id] != none) return false;
        if (Probing<Slot>::is_full(in_slots_, slots_.size())) grow();
        Slot& slot = Probing<Slot>(slots_).slot_of(id);
        if (!slot.is_free()) return false;
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
        uint64_t key = 0;
        uint32_t position = none;
        bool is_free() const { return position == none; }
    };
    // This many entries of the array take as much memory as the slots of one id.
    static constexpr uint64_t entries_per_id = 8;

    void grow() {
        constexpr size_t first_size = 16;
        std::vector<Slot> larger(slots_.empty() ? first_size : 2 * slots_.size());
        Probing<Slot>(larger).take(slots_);
        slots_ = std::move(larger);
    }

    std::vector<uint32_t> positions_;  // by id
    std::vector<Slot> slots_;
    size_t count_ = 0, in_slots_ = 0;
};

}  // namespace ovni
