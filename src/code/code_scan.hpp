// Finds marker instructions in a program's code: SSC markers, magic instructions, cpuid.
#pragma once

#include <cstdint>
#include <functional>

#include "code/elf_image.hpp"
#include "code/sites.hpp"

namespace ovni::code {

// Decodes the code that the image's table for unwinding covers, about 50 MB/s, and calls see() for each
// marker. The immediate is that of an ssc marker.
void for_each_marker(const ElfImage& image,
                     const std::function<void(uintptr_t address, Marker, uint32_t immediate)>& see);

}  // namespace ovni::code
