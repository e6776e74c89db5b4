// Which functions are recorded: none before MPI_Init, then those that the user chose.
#pragma once

#include <atomic>

#include "functions.hpp"

namespace ovni::mpi {

inline std::atomic<bool> selected_functions[std::size(function_rows)];

inline bool is_selected(Function function) noexcept {
    return selected_functions[static_cast<uint16_t>(function)].load(std::memory_order_relaxed);
}

// As OVNI_MPI_FUNCTIONS and OVNI_MPI_EVENTS say; a word that means nothing is reported.
void select_functions() noexcept;

// Only what the reference knows: no functions beyond its own, no moves between CPUs.
bool wants_reference_events() noexcept;

}  // namespace ovni::mpi
