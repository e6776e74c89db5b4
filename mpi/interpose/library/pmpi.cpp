#include "mpi/interpose/library/pmpi.hpp"

#include <mpi.h>

#include "core/loaded_library.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/library/foreign_library.hpp"

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

void* find_real_function(Function function) noexcept {
    if (void* successor = symbol_of_successor(row_of(function).name)) return successor;
    return find_function(row_of(function).symbol);
}

}  // namespace ovni::mpi
