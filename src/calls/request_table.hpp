// The requests of a process that are under way, by number. Numbers come from one sequence and most requests
// end soon: places are reused, and no request is moved. Finding, adding and removing take constant time and,
// once there is room, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "calls/call.hpp"
#include "core/probing.hpp"

namespace ovni {

class RequestTable {
 public:
    size_t size() const { return size_; }
    // Null if it is not under way. Valid until it is removed.
    Request* find(uint32_t number) {
        if (size_ == 0) return nullptr;
        const Slot& slot = slot_of(number);
        return slot.is_free() ? nullptr : &at(slot.place);
    }
    // Replaces a request with that number.
    Request& put(const Request& request) {
        if (Probing<Slot>::is_full(size_, slots_.size())) grow();
        Slot& slot = slot_of(request.number);
        if (slot.is_free()) {
            slot = {request.number, free_place()};
            ++size_;
        }
        return at(slot.place) = request;
    }
    void remove(uint32_t number) {
        if (size_ == 0) return;
        Slot& slot = slot_of(number);
        if (slot.is_free()) return;
        free_.push_back(slot.place);
        --size_;
        Probing<Slot>(slots_).erase(slot);
    }
    template <class Take>
    void visit(Take take) const {
        for (const Slot& slot : slots_)
            if (!slot.is_free()) take(blocks_[slot.place / block][slot.place % block]);
    }

 private:
    static constexpr uint32_t none = UINT32_MAX;
    static constexpr uint32_t block = 64;
    static constexpr size_t first_slots = 16;
    struct Slot {
        uint32_t key = 0, place = none;
        bool is_free() const { return place == none; }
    };

    Request& at(uint32_t place) { return blocks_[place / block][place % block]; }
    Slot& slot_of(uint32_t number) { return Probing<Slot>(slots_).slot_of(number); }
    uint32_t free_place() {
        if (free_.empty()) {
            const auto first = static_cast<uint32_t>(blocks_.size()) * block;
            blocks_.push_back(std::make_unique<Request[]>(block));
            for (uint32_t place = block; place-- > 0;) free_.push_back(first + place);
        }
        const uint32_t place = free_.back();
        free_.pop_back();
        return place;
    }
    void grow() {
        std::vector<Slot> larger(slots_.empty() ? first_slots : 2 * slots_.size());
        Probing<Slot>(larger).take(slots_);
        slots_ = std::move(larger);
    }

    std::vector<Slot> slots_;
    std::vector<std::unique_ptr<Request[]>> blocks_;
    std::vector<uint32_t> free_;
    size_t size_ = 0;
};

}  // namespace ovni
