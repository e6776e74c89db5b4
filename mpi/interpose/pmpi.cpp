#include "mpi/interpose/pmpi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <cstring>

#include "mpi/interpose/report.hpp"

namespace ovni::mpi {

namespace {

Report missing_function{"%s is not in this process: calls of it fail"};

int missing() {
    return MPI_ERR_OTHER;
}

struct Search {
    const char* symbol;
    void* found;
};

// A program may have loaded its MPI library with RTLD_LOCAL.
int look_into(dl_phdr_info* info, size_t, void* argument) {
    auto& search = *static_cast<Search*>(argument);
    const char* slash = strrchr(info->dlpi_name, '/');
    const char* file = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(file, "libmpi", 6) != 0) return 0;
    void* library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return 0;
    search.found = dlsym(library, search.symbol);
    dlclose(library);
    return search.found != nullptr;
}

}  // namespace

void* find_symbol(const char* name) noexcept {
    if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
    Search search{name, nullptr};
    dl_iterate_phdr(look_into, &search);
    return search.found;
}

void* find_function(const char* name) noexcept {
    if (void* found = find_symbol(name)) return found;
    missing_function.once(name);
    return reinterpret_cast<void*>(missing);
}

}  // namespace ovni::mpi
