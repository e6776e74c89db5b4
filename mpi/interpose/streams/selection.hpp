// The uses of each function's calls: none before MPI_Init and after MPI_Finalize, the user's choice between.
// One byte per function, so a call that is not used costs one test.
#pragma once

#include <atomic>

#include "functions.hpp"

namespace ovni::mpi {

enum Selected : uint8_t {
    recorded = 1,
    with_details = 2,      // its arguments are read
    awaited = 4,           // chains of --control wait for it,
    awaited_slow = 8,      // chains wait for a call that takes long
    agrees_in_world = 16,  // ranks agree on recording in it: agreement.hpp
    counted = 32           // counters are read at its begin and end: counted.hpp
};
// Uses that the inline parts of wrappers do not handle.
inline constexpr uint8_t at_sites = awaited | awaited_slow | agrees_in_world | counted;
inline std::atomic<uint8_t> selected_functions[std::size(function_rows)];

inline uint8_t selection_of(Function function) noexcept {
    return selected_functions[static_cast<uint16_t>(function)].load(std::memory_order_relaxed);
}
inline bool is_selected(Function function) noexcept {
    return (selection_of(function) & recorded) != 0;
}
// True if the wrapper has to look at calls of the function, recorded or not.
inline bool is_looked_at(Function function) noexcept {
    return selection_of(function) != 0;
}

// Selects by OVNI_MPI_FUNCTIONS and OVNI_MPI_EVENTS. Reports unknown words.
void select_functions() noexcept;

// Adds a selection for one function.
inline void select(Function function, Selected what) noexcept {
    selected_functions[static_cast<uint16_t>(function)].fetch_or(what, std::memory_order_relaxed);
}

// Selects no function any more.
void deselect_functions() noexcept;

}  // namespace ovni::mpi
