// Oddities are legal in a trace and worth a line at the end: counted here, summed over ranks, printed once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ovni {

enum class Oddity : uint8_t { end_after_gap, old_event, slow_flush, nested_task, lost_target, lost_state };

inline constexpr std::string_view oddity_sentences[] = {
    "{} states ended after a gap in their stream that began before it",
    "{} events of old kinds (OCn, 6TC) were ignored",
    "{} flushes took more than 10 ms while their thread ran",
    "{} tasks started over a running one: deprecated nesting",
    "{} moves to another CPU did not fit, in looms of which events are missing, and were ignored",
    "{} events did not fit the state of their thread behind a gap in its stream, and changed it",
};

inline constexpr std::string_view oddity_names[] = {"ends_after_gap", "old_events",   "slow_flushes",
                                                    "nested_tasks",   "lost_targets", "lost_states"};
static_assert(std::size(oddity_names) == std::size(oddity_sentences));

class Oddities {
 public:
    static constexpr size_t kinds = std::size(oddity_sentences);
    void note(Oddity what, uint64_t times = 1) { counts_[static_cast<size_t>(what)] += times; }
    const std::array<uint64_t, kinds>& counts() const { return counts_; }

 private:
    std::array<uint64_t, kinds> counts_{};
};

}  // namespace ovni
