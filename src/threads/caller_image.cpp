#include "threads/caller_image.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "threads/makers.hpp"

namespace ovni::threads {

namespace {

// Besides the libraries with threads of their own.
constexpr std::string_view system_libraries[] = {
    "libc.so", "libpthread", "librt.so", "libdl.so", "ld-linux", "libresolv", "libgcc_s",
};

bool has_name_of_left_out(const char* path) noexcept {
    std::string_view name(path);
    name.remove_prefix(name.rfind('/') + 1);
    for (std::string_view library : system_libraries)
        if (name.starts_with(library)) return true;
    return is_library_with_threads(path);
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

size_t write_caller(const void* return_address, char (&text)[longest_code_place + 1]) noexcept {
    dl_find_object found;
    text[0] = '\0';
    const void* call = static_cast<const uint8_t*>(return_address) - 1;
    if (_dl_find_object(const_cast<void*>(call), &found) != 0 || !found.dlfo_link_map) return 0;
    const link_map* map = found.dlfo_link_map;
    return write_code_place(code_file_at(found.dlfo_map_start, map->l_addr, map->l_name), return_address,
                            text);
}

bool is_left_out(const void* return_address) noexcept {
    constexpr unsigned unused_bits = 5;
    const link_map* image = image_of(return_address);
    if (!image) return false;
    auto map = reinterpret_cast<uintptr_t>(image);
    std::atomic<uintptr_t>& place = answer[(map >> unused_bits) % answers];
    uintptr_t known = place.load(std::memory_order_relaxed);
    if ((known & ~uintptr_t{1}) == map) return (known & 1) != 0;
    bool is_out = has_name_of_left_out(image->l_name);
    place.store(map | (is_out ? 1 : 0), std::memory_order_relaxed);
    return is_out;
}

bool may_be_allocator(const void* return_address) noexcept {
    const link_map* caller = image_of(return_address);
    return caller && caller == image_of(reinterpret_cast<const void*>(&malloc));
}

}  // namespace ovni::threads
