// Pages of 2 MiB, if the system has them: a processor caches the addresses of only a few thousand pages.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace ovni {

inline constexpr size_t huge_page = size_t{1} << 21;

// Applies to pages that are completely in the block.
inline void want_huge_pages(void* block, size_t size) noexcept {
    const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + huge_page - 1) / huge_page * huge_page;
    const uintptr_t end = (reinterpret_cast<uintptr_t>(block) + size) / huge_page * huge_page;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

struct FreeArray {
    void operator()(void* block) const noexcept { std::free(block); }
};
template <class T>
using HugeArray = std::unique_ptr<T[], FreeArray>;

// Memory is not initialised. It is aligned to a huge page if it is at least that large. Throws
// std::bad_alloc.
template <class T>
HugeArray<T> make_huge_array(size_t count) {
    static_assert(std::is_trivial_v<T>);
    constexpr size_t line = 64;
    const size_t alignment = count * sizeof(T) < huge_page ? line : huge_page;
    const size_t size = (count * sizeof(T) + alignment - 1) / alignment * alignment;
    void* block = std::aligned_alloc(alignment, size);
    if (block == nullptr) throw std::bad_alloc();
    want_huge_pages(block, count * sizeof(T));
    return HugeArray<T>(static_cast<T*>(block));
}

}  // namespace ovni
