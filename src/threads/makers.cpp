#include "threads/makers.hpp"

#include <string_view>

#include "threads/caller_image.hpp"

namespace ovni::threads {

namespace {

// Beginnings of file names. Open MPI with its components, PMIx and PRRTE; MPICH and its relatives; what both
// move data with; ours.
constexpr std::string_view libraries[] = {
    "libmpi",    "libopen-pal", "libopen-rte", "liboshmem", "libompi",    "mca_",      "libpmix",
    "libprrte",  "libprte",     "libpmi.",     "libpmi2",   "libmpich",   "libmpl.",   "libopa.",
    "libucp.",   "libucs.",     "libuct.",     "libucm.",   "libuct_",    "libucx_",   "libucs_",
    "libfabric", "librxm",      "libpsm",      "libefa",    "libibverbs", "librdmacm", "libmlx",
    "libhcoll",  "libsharp",    "libevent",    "libovni",   "libportals", "libhwloc",  "libmunge"};

}  // namespace

bool is_library_with_threads(const char* path) noexcept {
    std::string_view name(path);
    name.remove_prefix(name.rfind('/') + 1);
    for (std::string_view library : libraries)
        if (name.starts_with(library)) return true;
    return false;
}

bool is_of_library(const void* caller) noexcept {
    const link_map* image = image_of(caller);
    return image && is_library_with_threads(image->l_name);
}

}  // namespace ovni::threads
