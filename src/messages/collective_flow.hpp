// Whose data a member of a collective gets.
#pragma once

#include <cstdint>

namespace ovni {

enum class CollectiveFlow : uint8_t { none, barrier, n_to_n, from_root, to_root, scan };

// `function`: in mpi_function_rows; none for one that moves no data, or among neighbours alone.
CollectiveFlow flow_of(uint16_t function);

}  // namespace ovni
