// A jump that replaces the first five bytes of a site's code. Threads may be anywhere in these five bytes,
// and the program may jump into them. So each instruction that begins there becomes an int3: the jump's
// target is chosen so that its distance contains these bytes (landing_pads.hpp). The handler of such an int3
// continues in a copy.
//
// The last byte of the distance determines its size: an int3 there means 860 MB down, where a program at a
// low address has no memory. Bytes that are no instruction in 64-bit mode serve, too, if the library handles
// SIGILL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "code/landing_pads.hpp"
#include "code/near_memory.hpp"

namespace ovni::code {

struct Site;

struct JumpPatch {
    static constexpr size_t bytes = 5;

    std::array<uint8_t, bytes> jump{};
    std::array<uint8_t, bytes> original{};
    // Copies of the instructions that begin at these bytes; 0 elsewhere.
    std::array<uintptr_t, bytes> copies{};

    bool begins_at(size_t byte) const noexcept { return copies[byte] != 0; }
};

class JumpPatches {
 public:
    void use_illegal_instructions() noexcept { may_be_illegal_ = true; }
    // Makes a patch for the site. `code`: the original bytes of the program. False if none is possible. Its
    // memory is never freed.
    bool make(const Site& site, std::span<const uint8_t> code, JumpPatch& patch) noexcept;

 private:
    NearMemory memory_;
    LandingPads pads_;
    bool may_be_illegal_ = false;
};

}  // namespace ovni::code
