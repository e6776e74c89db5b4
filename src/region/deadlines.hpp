// Deadlines of alarms, the earliest first, those of one time in the order in which they were set: a heap in a
// table of fixed size, as nothing may be allocated where alarms are armed. A chain has one armed alarm in a
// thread, so there is room for four chains with a timeout in as many threads as the engine has slots for. Not
// for several threads at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>

#include "region/engine.hpp"

namespace ovni::region {

struct Deadline {
    uint64_t at = 0;  // CLOCK_MONOTONIC
    uint64_t order = 0;
    uint32_t thread = 0;
    uint16_t alarm = 0;

    bool operator>(const Deadline& other) const noexcept {
        return std::tie(at, order) > std::tie(other.at, other.order);
    }
};

class Deadlines {
 public:
    static constexpr size_t most = 4096;
    static constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

    constexpr Deadlines() = default;

    // Replaces that of the same alarm and thread; one for all_threads those of all. False where there is no
    // room.
    bool set(uint16_t alarm, uint32_t thread, uint64_t at) noexcept {
        drop(alarm, thread);
        if (size_ == most) return false;
        heap_[size_++] = {at, next_order_++, thread, alarm};
        std::push_heap(heap_.begin(), end(), std::greater<>());
        return true;
    }

    // Or never.
    uint64_t earliest() const noexcept { return size_ == 0 ? never : heap_[0].at; }

    // The earliest, where its time has come.
    std::optional<Deadline> take(uint64_t now) noexcept {
        if (earliest() > now || size_ == 0) return std::nullopt;
        std::pop_heap(heap_.begin(), end(), std::greater<>());
        return heap_[--size_];
    }

 private:
    Deadline* end() noexcept { return heap_.data() + size_; }

    void drop(uint16_t alarm, uint32_t thread) noexcept {
        auto is_replaced = [=](const Deadline& one) {
            return one.alarm == alarm && (thread == all_threads || one.thread == thread);
        };
        Deadline* kept = std::remove_if(heap_.data(), end(), is_replaced);
        if (kept == end()) return;
        size_ = static_cast<size_t>(kept - heap_.data());
        std::make_heap(heap_.data(), end(), std::greater<>());
    }

    std::array<Deadline, most> heap_{};
    size_t size_ = 0;
    uint64_t next_order_ = 0;
};

}  // namespace ovni::region
