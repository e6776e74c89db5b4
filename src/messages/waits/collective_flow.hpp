// Whose data a member of a collective gets.
#pragma once

#include <cstdint>

namespace ovni {

// neighbours: of some members, which are unknown. fence: of a window. members: calls that make or free
// something that all members have; the library may let a member leave before all have entered.
enum class CollectiveFlow : uint8_t {
    none,
    barrier,
    n_to_n,
    from_root,
    to_root,
    scan,
    neighbours,
    fence,
    members
};

// `function`: in mpi_function_rows; none: a call that waits for no member.
CollectiveFlow flow_of(uint16_t function);

}  // namespace ovni
