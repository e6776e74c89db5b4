#include "region/mpi_names.hpp"

#include <cstdint>

// Null past the last one. Defined in libovni-mpi.so, which may be missing.
extern "C" [[gnu::weak, gnu::visibility("default")]] const char* ovni_mpi_function_name(uint32_t number);

namespace ovni::region {

std::vector<std::string_view> mpi_function_names() noexcept {
    std::vector<std::string_view> names;
    if (!ovni_mpi_function_name) return names;
    while (const char* name = ovni_mpi_function_name(static_cast<uint32_t>(names.size())))
        names.emplace_back(name);
    return names;
}

}  // namespace ovni::region
