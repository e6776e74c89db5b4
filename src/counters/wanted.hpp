// The user's counters, from OVNI_COUNTERS, read when the library is loaded.
#pragma once

#include <span>

#include "core/counter_names.hpp"

namespace ovni::counters {

// The counters live as long as the process.
std::span<const CounterRow> wanted_counters() noexcept;
bool wants_memory() noexcept;

// Reads the setting. Reports a word that is no counter, and ignores it and all later words.
void read_wanted_counters() noexcept;

}  // namespace ovni::counters
