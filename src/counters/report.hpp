// Messages about counters, each printed once, by the first process of the first rank of a job.
#pragma once

#include <string_view>

#include "core/counter_names.hpp"

namespace ovni::counters {

void report_unknown(std::string_view word) noexcept;
void report_refused(const CounterRow& row, const char* cause) noexcept;
void report_scaled() noexcept;
// Printed by any process: the program has closed the descriptors.
void report_closed() noexcept;

}  // namespace ovni::counters
