// Events of the kernel, opened for the calling thread by perf_event_open. For ovnirun as well, which shows
// what this machine has.
#pragma once

#include <cstdint>

#include "core/counter_names.hpp"

namespace ovni::counters {

inline constexpr int no_group = -1;

// A descriptor of the counter, in the group of the descriptor `group`; with no_group it leads one. It closes
// itself at exec, and has a high number. -1 with errno.
int open_counter(const CounterRow& row, int group) noexcept;
// A group counts from then on. Members that join a group that counts already may be forgotten by the kernel
// until the thread is next scheduled.
void enable_group(int leader) noexcept;

// True if the descriptor still is one that open_counter() has made.
bool is_counter(int descriptor) noexcept;

// Why open_counter() failed with that error, for people.
const char* cause_of(const CounterRow& row, int error, bool is_in_group) noexcept;

// The clocks of the kernel count in a group only if they lead it.
bool leads_group(const CounterRow& row) noexcept;

}  // namespace ovni::counters
