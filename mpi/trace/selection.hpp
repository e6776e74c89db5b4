// Which functions are recorded: none before MPI_Init, then those that the user chose.
#pragma once

#include <atomic>

#include "functions.hpp"

namespace ovni::mpi {

// Of a function: is it recorded, and do we look at its arguments?
enum Selected : uint8_t { recorded = 1, with_details = 2 };
inline std::atomic<uint8_t> selected_functions[std::size(function_rows)];

inline uint8_t selection_of(Function function) noexcept {
    return selected_functions[static_cast<uint16_t>(function)].load(std::memory_order_relaxed);
}
inline bool is_selected(Function function) noexcept {
    return (selection_of(function) & recorded) != 0;
}
inline bool has_details(Function function) noexcept {
    return (selection_of(function) & with_details) != 0;
}
// Recorded, or only looked at, because what it does has to be known later.
inline bool is_followed(Function function) noexcept {
    return selection_of(function) != 0;
}

// As OVNI_MPI_FUNCTIONS and OVNI_MPI_EVENTS say; a word that means nothing is reported.
void select_functions() noexcept;

// Nothing any more.
void deselect_functions() noexcept;

// Only what the reference knows: no details, no functions beyond its own, no moves between CPUs.
bool wants_reference_events() noexcept;

}  // namespace ovni::mpi
