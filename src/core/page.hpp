// The size of a page of memory, to which sizes of buffers are rounded.
#pragma once

#include <cstddef>

namespace ovni {

inline constexpr size_t page_bytes = 4096;

}  // namespace ovni
