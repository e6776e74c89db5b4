#include "code/cache/called_functions.hpp"

#include <algorithm>
#include <string_view>

#include "code/own_libraries.hpp"
#include "core/loaded_library.hpp"

namespace ovni::code {

namespace {

// Exceptions, jumps and ends lead back to code of the program, and so do calls of MPI.
bool leads_to_program(std::string_view name) {
    constexpr std::string_view begins[] = {"_Unwind_", "MPI_", "PMPI_", "mpi_", "pmpi_"},
                               whole[] = {"__cxa_rethrow",      "__cxa_throw",  "__longjmp_chk",
                                          "_longjmp",           "exit",         "longjmp",
                                          "pthread_testcancel", "pthread_exit", "quick_exit",
                                          "siglongjmp"};
    return std::ranges::find(whole, name) != std::end(whole) ||
           std::ranges::any_of(begins, [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

void CalledFunctions::find() {
    std::vector<LoadedLibrary> ours, others;
    LoadedLibrary::for_each([&](const LoadedLibrary& library) {
        (is_own_library(library.file_name()) ? ours : others).push_back(library);
        return true;
    });
    for (const LoadedLibrary& library : ours) {
        if (const uint64_t binder = library.binder()) binders_.push_back(binder);
        library.for_each_import([&](const char* name, void* const* place) {
            if (leads_to_program(name)) return;
            helpers_.push_back(reinterpret_cast<uint64_t>(*place));
            // If that is one of ours, it calls those for us.
            for (const LoadedLibrary& other : others)
                if (void* found = other.function(name)) helpers_.push_back(reinterpret_cast<uint64_t>(found));
        });
        library.for_each_function([&](const char* name, uint64_t address) {
            for (const LoadedLibrary& other : others)
                if (void* found = other.function(name))
                    behind_.emplace_back(address, reinterpret_cast<uint64_t>(found));
        });
    }
    std::ranges::sort(helpers_);
    std::ranges::sort(behind_);
}

bool CalledFunctions::is_helper(uint64_t function) const noexcept {
    return std::ranges::binary_search(helpers_, function);
}

bool CalledFunctions::is_behind(uint64_t ours, uint64_t function) const noexcept {
    return std::ranges::binary_search(behind_, std::pair(ours, function));
}

bool CalledFunctions::is_binder(uint64_t function) const noexcept {
    return std::ranges::find(binders_, function) != binders_.end();
}

}  // namespace ovni::code
