// The memory of this process.
#pragma once

#include <cstdint>

namespace ovni::counters {

struct MemoryUse {
    uint64_t resident = 0, highest = 0;  // bytes
};

// False if /proc cannot be read.
bool read_memory(MemoryUse& use) noexcept;

}  // namespace ovni::counters
