// A copy of one instruction that runs elsewhere, and continues behind the original, or behind the copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ovni::code {

enum class CopyEnd : uint8_t { jumps_back, runs_on };

struct InstructionCopy {
    static constexpr size_t most = 48;
    std::array<uint8_t, most> bytes{};
    size_t size = 0;  // 0: this instruction cannot run elsewhere

    // `original`: its bytes, of which `readable` may be read. `address`: where the original runs; `place`:
    // where the copy runs, within 2 GiB. A call pushes the return address of the original, so unwinding
    // works.
    static InstructionCopy of(const uint8_t* original, size_t readable, uintptr_t address, uintptr_t place,
                              CopyEnd end = CopyEnd::jumps_back);
};

}  // namespace ovni::code
