// Names of the MPI functions by number, for the region controller: libovni.so looks for this function.
#include <cstdint>
#include <iterator>

#include "mpi_function_choices.hpp"

#pragma GCC visibility push(default)

// A row of mpi_functions.txt, from 0; null past the last.
extern "C" const char* ovni_mpi_function_name(uint32_t number);
extern "C" const char* ovni_mpi_function_name(uint32_t number) {
    return number < std::size(ovni::mpi_function_choices) ? ovni::mpi_function_choices[number].name.data()
                                                          : nullptr;
}

#pragma GCC visibility pop
