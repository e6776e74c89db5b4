// Forms of instructions that more than one source must know.
#pragma once

#include <Zydis/Zydis.h>

#include <cstdint>

namespace ovni::code {

inline constexpr uint8_t int3_byte = 0xcc;

inline bool has(const ZydisDecodedInstruction& instruction, ZydisInstructionAttributes attribute) {
    return (instruction.attributes & attribute) != 0;
}

// A jump or a call.
inline bool has_distance(const ZydisDecodedInstruction& instruction) {
    return has(instruction, ZYDIS_ATTRIB_IS_RELATIVE) && instruction.raw.imm[0].size != 0;
}

// loop and jrcxz reach 127 bytes and have no longer form.
inline bool is_short_only(const ZydisDecodedInstruction& instruction) {
    constexpr uint8_t first = 0xe0, last = 0xe3;
    return instruction.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && instruction.opcode >= first &&
           instruction.opcode <= last;
}

}  // namespace ovni::code
