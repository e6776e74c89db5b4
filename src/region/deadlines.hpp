// Deadlines of alarms, the earliest first, equal ones in the order in which they were set. A sorted table of
// fixed size, because arming an alarm must not allocate. A chain has one armed alarm in a thread, so the
// table suffices for four chains with timeouts in all threads that the engine has slots for. Not for
// concurrent use.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "region/engine.hpp"

namespace ovni::region {

struct Deadline {
    uint64_t at;  // CLOCK_MONOTONIC
    uint32_t thread;
    uint16_t alarm;
};

class Deadlines {
 public:
    static constexpr size_t most = 4096;
    static constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

    constexpr Deadlines() = default;

    // Replaces the deadline of that alarm and thread; one for all_threads replaces those of every thread.
    // False if there is no room.
    bool set(uint16_t alarm, uint32_t thread, uint64_t at) noexcept {
        drop(alarm, thread);
        if (size_ == most) return false;
        Deadline* place =
            std::partition_point(begin(), end(), [=](const Deadline& one) { return one.at > at; });
        std::move_backward(place, end(), end() + 1);
        *place = {at, thread, alarm};
        ++size_;
        return true;
    }

    // `never` if there is none.
    uint64_t earliest() const noexcept { return size_ == 0 ? never : table_[size_ - 1].at; }

    // Removes the earliest, if its time has come.
    std::optional<Deadline> take(uint64_t now) noexcept {
        if (size_ == 0 || earliest() > now) return std::nullopt;
        return table_[--size_];
    }

 private:
    Deadline* begin() noexcept { return table_.data(); }
    Deadline* end() noexcept { return table_.data() + size_; }

    void drop(uint16_t alarm, uint32_t thread) noexcept {
        auto is_replaced = [=](const Deadline& one) {
            return one.alarm == alarm && (thread == all_threads || one.thread == thread);
        };
        size_ = static_cast<size_t>(std::remove_if(begin(), end(), is_replaced) - begin());
    }

    std::array<Deadline, most> table_{};  // the earliest last
    size_t size_ = 0;
};

}  // namespace ovni::region
