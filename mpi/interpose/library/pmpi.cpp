#include "mpi/interpose/library/pmpi.hpp"

#include <mpi.h>

#include "core/loaded_library.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/library/foreign_library.hpp"
#include "mpi/interpose/library/layers.hpp"

namespace ovni::mpi {

namespace {

Report missing_function{"%s is not in this process: calls of it fail"};

int no_function() {
    return MPI_ERR_OTHER;
}

}  // namespace

// A program may have loaded its MPI library with RTLD_LOCAL.
void* find_symbol(const char* name) noexcept {
    return LoadedLibrary::first_symbol(name);
}

void* find_function(const char* name) noexcept {
    if (void* found = find_symbol(name)) return found;
    missing_function.once(name);
    return reinterpret_cast<void*>(no_function);
}

void* find_next_function(Function function) noexcept {
    const FunctionRow& row = row_of(function);
    if (void* successor = symbol_of_successor(row.name)) return successor;
    if (void* layer = function_of_layer(row.name)) return layer;
    return find_function(row.symbol);
}

void* find_pmpi_function(Function function) noexcept {
    return find_function(row_of(function).symbol);
}

}  // namespace ovni::mpi
