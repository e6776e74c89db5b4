#include "code/near_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace ovni::code {

namespace {

constexpr uintptr_t block_bytes = uintptr_t{64} << 10;
constexpr uintptr_t reach = uintptr_t{1} << 30;
constexpr uintptr_t alignment = 16;

}  // namespace

bool is_near(uintptr_t one, uintptr_t other) {
    return (one > other ? one - other : other - one) < reach;
}

uintptr_t map_near(uintptr_t place, size_t size, int rights) {
    const uintptr_t middle = place / size * size;
    auto map_at = [&](uintptr_t address) -> uintptr_t {
        void* wanted = reinterpret_cast<void*>(address);
        void* made = ::mmap(wanted, size, rights,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) return 0;
        if (made == wanted) return address;
        ::munmap(made, size);  // a system before Linux 4.17
        return 0;
    };
    for (uintptr_t distance = size; distance + size < reach; distance += size) {
        if (const uintptr_t found = map_at(middle + distance)) return found;
        if (middle > distance)
            if (const uintptr_t found = map_at(middle - distance)) return found;
    }
    return 0;
}

uintptr_t NearMemory::take(uintptr_t place, size_t size) {
    if (size > block_bytes) return 0;
    for (size_t i = 0; i < count_; ++i) {
        Block& block = blocks_[i];
        if (!is_near(block.begin, place) || block.used + size > block_bytes) continue;
        const uintptr_t room = block.begin + block.used;
        block.used = (block.used + size + alignment - 1) / alignment * alignment;
        return room;
    }
    if (count_ == most_blocks) return 0;
    const uintptr_t begin = map_near(place, block_bytes, PROT_READ | PROT_EXEC);
    if (begin != 0) blocks_[count_++] = {begin, (size + alignment - 1) / alignment * alignment};
    return begin;
}

}  // namespace ovni::code
