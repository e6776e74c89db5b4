// The functions that all members of a communicator call.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "mpi_function_rows.hpp"

namespace ovni {

// All members call what makes a communicator, but for these.
inline constexpr std::string_view made_by_some_members[] = {"MPI_Comm_create_group", "MPI_Intercomm_create",
                                                            "MPI_Comm_join"};

inline bool is_collective(const MpiFunctionRow& function) {
    return function.record == MpiRecord::Collective || function.record == MpiRecord::CommunicatorEnd ||
           (function.record == MpiRecord::CommunicatorMaker &&
            std::ranges::find(made_by_some_members, function.name) == std::end(made_by_some_members));
}

}  // namespace ovni
