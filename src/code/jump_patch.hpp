// A jump in place of the first five bytes of a site's code. Threads may be anywhere in these five bytes, and
// the program may jump into them, so an int3 stands at each instruction that begins there: the jump goes to a
// place whose distance has these bytes (landing_pads.hpp). The trap of such an int3 goes on in a copy.
//
// The last byte of the distance says how far it is: an int3 there means 860 MB down, where a program at a low
// address has nothing. Bytes that are no instruction in 64-bit mode do as well, if SIGILL is ours.
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
    // A patch for the site, whose code is `code`, as the program was made. False if there can be none.
    // Nothing is given back.
    bool make(const Site& site, std::span<const uint8_t> code, JumpPatch& patch) noexcept;

 private:
    NearMemory memory_;
    LandingPads pads_;
    bool may_be_illegal_ = false;
};

}  // namespace ovni::code
