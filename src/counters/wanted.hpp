// The counters that the user wants: OVNI_COUNTERS, read when the library is loaded.
#pragma once

#include <span>

#include "core/counter_names.hpp"

namespace ovni::counters {

// Lives as long as the process.
std::span<const CounterRow> wanted_counters() noexcept;
bool wants_memory() noexcept;

// Reads the setting. A word that is no counter is reported and left out, with all behind it.
void read_wanted_counters() noexcept;

}  // namespace ovni::counters
