// The MPI library of the process, found when the program first needs it. Nothing here refers to a symbol of
// libmpi, so that this library can be preloaded into programs without MPI.
#pragma once

#include <atomic>

#include "functions.hpp"

namespace ovni::mpi {

// A function or variable of the MPI library; null if there is none.
void* find_symbol(const char* name) noexcept;

// A function by find_symbol(); a missing one is reported and replaced by one that returns MPI_ERR_OTHER.
void* find_function(const char* name) noexcept;

// For each row of the table a function to call, found at first use.
using Targets = std::atomic<void*>[std::size(function_rows)];

template <class Signature>
Signature* target(Targets& known_targets, Function function, void* (*find)(Function) noexcept) noexcept {
    std::atomic<void*>& known = known_targets[static_cast<uint16_t>(function)];
    void* found = known.load(std::memory_order_acquire);
    if (!found) [[unlikely]] {
        found = find(function);
        known.store(found, std::memory_order_release);
    }
    return reinterpret_cast<Signature*>(found);
}

// The function that a wrapper forwards its call to: a layer's, if there is a layer on the profiling interface
// behind this library (layers.hpp), else the MPI library's. If the MPI of the process is of another family,
// it is the wrapper in the tracing library for that family, if there is one.
void* find_next_function(Function function) noexcept;
inline Targets next_functions;

template <class Signature>
Signature* next(Function function) noexcept {
    return target<Signature>(next_functions, function, find_next_function);
}

// The function of the MPI library itself, for calls by the tracer: OVNI_KNOWN_PMPI(Type_size_x)(type, &size).
void* find_pmpi_function(Function function) noexcept;
inline Targets pmpi_functions;

#define OVNI_KNOWN_PMPI(name)                                                                           \
    ::ovni::mpi::target<decltype(MPI_##name)>(::ovni::mpi::pmpi_functions, ::ovni::mpi::Function::name, \
                                              ::ovni::mpi::find_pmpi_function)

// Any other function, for calls that are rare: OVNI_PMPI(Comm_dup)(comm, &copy).
#define OVNI_PMPI(name) reinterpret_cast<decltype(&MPI_##name)>(::ovni::mpi::find_function("PMPI_" #name))

}  // namespace ovni::mpi
