// Whose data a member of a collective gets.
#pragma once

#include <cstdint>

namespace ovni {

// neighbours: of some members, which are unknown. fence: of a window.
enum class CollectiveFlow : uint8_t { none, barrier, n_to_n, from_root, to_root, scan, neighbours, fence };

// `function`: in mpi_function_rows; none for one that moves no data.
CollectiveFlow flow_of(uint16_t function);

}  // namespace ovni
