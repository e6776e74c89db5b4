// Numbers 64-bit values 0, 1, 2... in the order in which they are first seen. A known value costs one table
// lookup and no allocation. Memory grows with the number of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/probing.hpp"

namespace ovni {

class ValueIndex {
 public:
    static constexpr uint32_t none = 0xffffffff;

    uint32_t size() const { return size_; }
    // `none` if the value was not added.
    uint32_t find(int64_t value) const {
        return slots_.empty() ? none : Probing<const Slot>(slots_).slot_of(value).number;
    }
    uint32_t find_or_add(int64_t value) {
        uint32_t found = find(value);
        return found != none ? found : add(value);
    }

 private:
    struct Slot {
        int64_t key = 0;
        uint32_t number = none;
        bool is_free() const { return number == none; }
    };
    static constexpr size_t first_size = 8;

    [[gnu::cold, gnu::noinline]] uint32_t add(int64_t value) {
        if (Probing<Slot>::is_full(size_, slots_.size())) {
            std::vector<Slot> larger(slots_.empty() ? first_size : 2 * slots_.size());
            Probing<Slot>(larger).take(slots_);
            slots_ = std::move(larger);
        }
        Probing<Slot>(slots_).slot_of(value) = {value, size_};
        return size_++;
    }

    std::vector<Slot> slots_;
    uint32_t size_ = 0;
};

}  // namespace ovni
