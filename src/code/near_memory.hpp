// Memory for code within reach of a relative jump from other code. It is mapped without the right to write;
// see written_code.hpp. Nothing is given back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::code {

// True if the two are less than 1 GiB apart.
bool is_near(uintptr_t one, uintptr_t other);

// Maps memory with those rights (PROT_...) exactly at that address, unless memory is mapped there.
bool map_at(uintptr_t address, size_t size, int rights);

// Maps memory within reach of the place; 0 if none is free.
uintptr_t map_near(uintptr_t place, size_t size, int rights);

class NearMemory {
 public:
    // Room for `size` bytes, at most 64 KiB, less than 1 GiB from `place`; 0 if there is none.
    uintptr_t take(uintptr_t place, size_t size);

 private:
    struct Block {
        uintptr_t begin, used;
    };
    static constexpr size_t most_blocks = 1024;
    Block blocks_[most_blocks] = {};
    size_t count_ = 0;
};

}  // namespace ovni::code
