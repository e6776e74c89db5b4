#include "mpi/interpose/library/layers.hpp"

#include <cstring>

#include "mpi/interpose/library/pmpi.hpp"

namespace ovni::mpi {

namespace {

// A library of stubs for programs without MPI defines MPI_x, too, and does not hand on.
bool hands_on(const LoadedLibrary& library, const LoadedLibrary& mpi) noexcept {
    if (library.needs(mpi)) return true;
    bool asks = false;
    library.for_each_import([&](const char* name, void**) {
        asks |= strncmp(name, "PMPI_", strlen("PMPI_")) == 0 || strcmp(name, "dlsym") == 0;
    });
    return asks;
}

template <class IsWanted>
void* first_behind(const char* name, IsWanted is_wanted) noexcept {
    void* found = nullptr;
    bool is_behind = false;
    LoadedLibrary::for_each([&](const LoadedLibrary& library) {
        if (is_tracing_library(library))
            is_behind = true;
        else if (void* function = is_behind ? library.function(name) : nullptr)
            if (is_wanted(library)) found = function;
        return found == nullptr;
    });
    return found;
}

}  // namespace

LoadedLibrary mpi_library() noexcept {
    const void* init = find_symbol("PMPI_Init");
    return init ? LoadedLibrary::at(init) : LoadedLibrary();
}

LoadedLibrary own_program() noexcept {
    LoadedLibrary program;
    LoadedLibrary::for_each([&](const LoadedLibrary& first) {
        program = first;
        return false;
    });
    return program;
}

bool is_tracing_library(const LoadedLibrary& library) noexcept {
    return strncmp(library.file_name(), "libovni-mpi", strlen("libovni-mpi")) == 0;
}

void* function_behind(const char* name) noexcept {
    return first_behind(name, [](const LoadedLibrary&) { return true; });
}

void* function_of_layer(const char* name) noexcept {
    const LoadedLibrary mpi = mpi_library();
    if (!mpi || own_program().function(name)) return nullptr;
    auto is_next = [&](const LoadedLibrary& library) { return library == mpi || hands_on(library, mpi); };
    void* found = first_behind(name, is_next);
    return mpi.holds(found) ? nullptr : found;
}

}  // namespace ovni::mpi
