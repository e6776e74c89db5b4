// Kernel events, opened for the calling thread by perf_event_open. Used by ovnirun, too, which shows the
// counters of this machine.
#pragma once

#include <cstdint>

#include "core/counter_names.hpp"

namespace ovni::counters {

inline constexpr int no_group = -1;

// A descriptor of the counter, in the group that `group` leads; with no_group it leads a new group. It is
// closed at exec, and has a high number. -1 with errno.
int open_counter(const CounterRow& row, int group) noexcept;
// Starts counting. Counters that are added to a running group may not count until the thread is next
// scheduled.
void enable_group(int leader) noexcept;

// True if the descriptor still is one that open_counter() has made.
bool is_counter(int descriptor) noexcept;

// Why open_counter() failed with that error, as a text for users.
const char* cause_of(const CounterRow& row, int error, bool is_in_group) noexcept;

// True for the kernel's clocks, which count in a group only if they lead it.
bool leads_group(const CounterRow& row) noexcept;

}  // namespace ovni::counters
