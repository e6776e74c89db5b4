// Pages of 2 MiB, where the system gives them: a processor remembers where a few thousand pages lie, and
// looks up the others with every access.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace ovni {

inline constexpr size_t huge_page = size_t{1} << 21;

// Applies to the pages that lie whole in the block.
inline void want_huge_pages(void* block, size_t size) noexcept {
    const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + huge_page - 1) / huge_page * huge_page;
    const uintptr_t end = (reinterpret_cast<uintptr_t>(block) + size) / huge_page * huge_page;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace ovni
