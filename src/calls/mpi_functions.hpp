// Questions about functions of MPI that their table does not answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "mpi_function_rows.hpp"

namespace ovni {

// The place in mpi_function_rows.
inline constexpr uint16_t index_of(const MpiFunctionRow& function) {
    return static_cast<uint16_t>(&function - mpi_function_rows);
}

inline constexpr bool is_init(const MpiFunctionRow& function) {
    return function.name == "MPI_Init" || function.name == "MPI_Init_thread";
}

inline constexpr bool is_finalize(const MpiFunctionRow& function) {
    return function.name == "MPI_Finalize";
}

// All members call a function that makes a communicator, except for these.
inline constexpr std::string_view made_by_some_members[] = {"MPI_Comm_create_group", "MPI_Intercomm_create",
                                                            "MPI_Comm_join", "MPI_Comm_create_from_group",
                                                            "MPI_Intercomm_create_from_groups"};

inline constexpr bool is_made_by_some_members(const MpiFunctionRow& function) {
    return std::ranges::find(made_by_some_members, function.name) != std::end(made_by_some_members);
}

// One group calls one of them and another group the other: both are one call of all members of the
// communicator that they make.
inline constexpr bool joins_groups(const MpiFunctionRow& function) {
    return function.name == "MPI_Comm_accept" || function.name == "MPI_Comm_connect";
}

// All members of a communicator call it.
inline constexpr bool is_collective(const MpiFunctionRow& function) {
    return function.record == MpiRecord::Collective || function.record == MpiRecord::PersistentCollective ||
           function.record == MpiRecord::CommunicatorEnd ||
           (function.record == MpiRecord::CommunicatorMaker && !is_made_by_some_members(function));
}

// True if it makes, uses or frees a window or a file.
inline constexpr bool uses_object(const MpiFunctionRow& function) {
    constexpr MpiRecord with_objects[] = {
        MpiRecord::OneSided,    MpiRecord::Synchronisation, MpiRecord::Transfer,  MpiRecord::FileUse,
        MpiRecord::WindowMaker, MpiRecord::WindowEnd,       MpiRecord::FileMaker, MpiRecord::FileEnd};
    return std::ranges::find(with_objects, function.record) != std::end(with_objects);
}

// True if the leave of its calls names the window or file that they make.
inline constexpr bool makes_object(const MpiFunctionRow& function) {
    return function.record == MpiRecord::WindowMaker || function.record == MpiRecord::FileMaker;
}

// All members of the communicator that its window was made on call it.
inline constexpr bool is_fence(const MpiFunctionRow& function) {
    return function.name == "MPI_Win_fence";
}

}  // namespace ovni
