// The MPI library of the process, found when the program first needs it: nothing here refers to a symbol of
// libmpi, so that the library can be preloaded into programs without MPI.
#pragma once

#include <atomic>

#include "functions.hpp"

namespace ovni::mpi {

// A function or variable of the MPI library, wherever that was loaded; null if there is none.
void* find_symbol(const char* name) noexcept;

// A function by find_symbol(); a missing one is reported and replaced by one that returns MPI_ERR_OTHER.
void* find_function(const char* name) noexcept;

// The target of the calls of a wrapper. If the MPI of the process is of another family, that is the wrapper
// of the tracing library for it, if there is one.
void* find_real_function(Function function) noexcept;

inline std::atomic<void*> real_functions[std::size(function_rows)];

// The function of the MPI library that does the work of a wrapper.
template <class Signature>
Signature* pmpi(Function function) noexcept {
    std::atomic<void*>& known = real_functions[static_cast<uint16_t>(function)];
    void* real = known.load(std::memory_order_acquire);
    if (!real) [[unlikely]] {
        real = find_real_function(function);
        known.store(real, std::memory_order_release);
    }
    return reinterpret_cast<Signature*>(real);
}

// The function behind a wrapper by its name: OVNI_KNOWN_PMPI(Type_size_x)(type, &size).
#define OVNI_KNOWN_PMPI(name) ::ovni::mpi::pmpi<decltype(MPI_##name)>(::ovni::mpi::Function::name)

// Any other function, for calls that are rare: OVNI_PMPI(Comm_dup)(comm, &copy).
#define OVNI_PMPI(name) reinterpret_cast<decltype(&MPI_##name)>(::ovni::mpi::find_function("PMPI_" #name))

}  // namespace ovni::mpi
