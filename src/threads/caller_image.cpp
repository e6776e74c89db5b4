#include "threads/caller_image.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ovni::threads {

namespace {

constexpr std::string_view left_out[] = {
    "libovni", "libc.so",  "libpthread", "librt.so",  "libdl.so", "ld-linux",   "libresolv", "libgcc_s",
    "libmpi",  "libopen-", "libpmix",    "libprrte",  "libevent", "libhwloc",   "mca_",      "libucp",
    "libucs",  "libuct",   "libucm",     "libfabric", "libpsm",   "libibverbs", "librdmacm", "libmunge",
};

bool has_name_of(const char* path) noexcept {
    const char* slash = strrchr(path, '/');
    std::string_view name(slash ? slash + 1 : path);
    for (std::string_view begin : left_out)
        if (name.starts_with(begin)) return true;
    return false;
}

// Answers by map, with the answer in the lowest bit. A file that is loaded where another one was gets its
// answer.
constexpr size_t answers = 64;
constinit std::atomic<uintptr_t> answer[answers] = {};

}  // namespace

link_map* image_of(const void* address) noexcept {
    dl_find_object found;
    bool is_there = _dl_find_object(const_cast<void*>(address), &found) == 0;
    return is_there ? found.dlfo_link_map : nullptr;
}

bool is_left_out(const void* return_address) noexcept {
    constexpr unsigned unused_bits = 5;
    const link_map* image = image_of(return_address);
    if (!image) return false;
    auto map = reinterpret_cast<uintptr_t>(image);
    std::atomic<uintptr_t>& place = answer[(map >> unused_bits) % answers];
    uintptr_t known = place.load(std::memory_order_relaxed);
    if ((known & ~uintptr_t{1}) == map) return (known & 1) != 0;
    bool is_out = has_name_of(image->l_name);
    place.store(map | (is_out ? 1 : 0), std::memory_order_relaxed);
    return is_out;
}

bool may_be_allocator(const void* return_address) noexcept {
    const link_map* caller = image_of(return_address);
    return caller && caller == image_of(reinterpret_cast<const void*>(&malloc));
}

}  // namespace ovni::threads
