// How others wait for a process that is late, by the sums of waits: in a chain, or in tests that fail.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "messages/waits/find_waits.hpp"

namespace ovni {

// Processes of which each waits for the one before, from `first` on: the one that waits longest, as long as
// that is at least half of the wait for `first`.
std::vector<uint32_t> chain_behind(uint32_t first, const std::vector<WaitSum>& waits);

// The function, in mpi_function_rows, whose failed tests are more than half of the time that others waited
// for `cause`.
std::optional<uint32_t> function_of_polling(uint32_t cause, const std::vector<WaitSum>& waits);

}  // namespace ovni
