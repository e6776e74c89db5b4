// The use of calls of each function: nothing before MPI_Init and after MPI_Finalize, then what the user
// chose. It is one byte per function, so that a call of which nothing is wanted costs one test.
#pragma once

#include <atomic>

#include "functions.hpp"

namespace ovni::mpi {

enum Selected : uint8_t {
    recorded = 1,
    with_details = 2,      // we look at its arguments
    awaited = 4,           // chains of --control wait for it,
    awaited_slow = 8,      // or for one that takes long
    agrees_in_world = 16,  // ranks agree on recording in it: agreement.hpp
    counted = 32           // its begin and its end are borders: counted.hpp
};
// Beyond recording: none of it is in the inline parts of wrappers.
inline constexpr uint8_t at_sites = awaited | awaited_slow | agrees_in_world | counted;
inline std::atomic<uint8_t> selected_functions[std::size(function_rows)];

inline uint8_t selection_of(Function function) noexcept {
    return selected_functions[static_cast<uint16_t>(function)].load(std::memory_order_relaxed);
}
inline bool is_selected(Function function) noexcept {
    return (selection_of(function) & recorded) != 0;
}
// True if anything at all is wanted, if only that its effect must be known later.
inline bool is_looked_at(Function function) noexcept {
    return selection_of(function) != 0;
}

// Selects by OVNI_MPI_FUNCTIONS and OVNI_MPI_EVENTS. A word that means nothing is reported.
void select_functions() noexcept;

// Adds a selection for one function.
inline void select(Function function, Selected what) noexcept {
    selected_functions[static_cast<uint16_t>(function)].fetch_or(what, std::memory_order_relaxed);
}

// Selects no function any more.
void deselect_functions() noexcept;

}  // namespace ovni::mpi
