// A table by event code, for one look-up per event: grows with the number of codes seen.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/probing.hpp"
#include "ovni/event_code.hpp"

namespace ovni {

template <class Value>
class CodeTable {
 public:
    CodeTable() : slots_(first_size) {}

    // The value of that code, at first Value(). Valid until the next call.
    Value& operator[](EventCode code) {
        Slot& slot = slot_of(code);
        if (slot.used) [[likely]]
            return slot.value;
        return add(code);
    }
    // Calls `see(code, value)` for every code, in no certain order.
    template <class See>
    void for_each(See see) const {
        for (const Slot& slot : slots_)
            if (slot.used) see(EventCode::from_bits(slot.key), slot.value);
    }

 private:
    static constexpr size_t first_size = 1024;

    struct Slot {
        uint32_t key = 0;
        bool used = false;
        Value value{};
        bool is_free() const { return !used; }
    };

    Slot& slot_of(EventCode code) { return Probing<Slot>(slots_).slot_of(code.bits()); }
    [[gnu::cold]] Value& add(EventCode code) {
        if (Probing<Slot>::is_full(used_, slots_.size())) {
            std::vector<Slot> larger(2 * slots_.size());
            Probing<Slot>(larger).take(slots_);
            slots_ = std::move(larger);
        }
        ++used_;
        Slot& slot = slot_of(code);
        slot.key = code.bits();
        slot.used = true;
        return slot.value;
    }

    std::vector<Slot> slots_;
    size_t used_ = 0;
};

}  // namespace ovni
