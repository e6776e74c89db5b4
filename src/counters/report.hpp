// Messages of the first process of the first rank of a job, each once.
#pragma once

#include <string_view>

#include "core/counter_names.hpp"

namespace ovni::counters {

void tell_unknown(std::string_view word) noexcept;
void tell_refused(const CounterRow& row, const char* cause) noexcept;
void tell_scaled() noexcept;
// In any process: the program has closed the descriptors.
void tell_gone() noexcept;

}  // namespace ovni::counters
