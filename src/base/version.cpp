#include "base/version.hpp"

#include <fmt/format.h>

namespace ovni {

std::string version_text(std::string_view program, std::string_view libraries) {
    constexpr std::string_view hdf5 = OVNI_HDF5_VERSION;
    return fmt::format("{} (ovni-mpi) {}\ncommit: {}\n{}HDF5: {}\nbuild: {}\n", program, OVNI_VERSION,
                       OVNI_GIT_COMMIT, libraries, hdf5.empty() ? "no" : hdf5, OVNI_BUILD_OPTIONS);
}

}  // namespace ovni
