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

bool map_at(uintptr_t address, size_t size, int rights) {
    void* wanted = reinterpret_cast<void*>(address);
    void* made = ::mmap(wanted, size, rights,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
    if (made != MAP_FAILED && made != wanted) ::munmap(made, size);  // a system before Linux 4.17
    return made == wanted;
}

uintptr_t map_near(uintptr_t place, size_t size, int rights) {
    const uintptr_t middle = place / size * size;
    for (uintptr_t distance = size; distance + size < reach; distance += size) {
        if (map_at(middle + distance, size, rights)) return middle + distance;
        if (middle > distance && map_at(middle - distance, size, rights)) return middle - distance;
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
