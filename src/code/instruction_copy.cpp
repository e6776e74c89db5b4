#include "code/instruction_copy.hpp"

#include <Zydis/Zydis.h>

#include <cstring>
#include <initializer_list>

#include "code/instruction_form.hpp"

namespace ovni::code {

namespace {

class Assembler {
 public:
    Assembler(InstructionCopy& copy, uintptr_t place, CopyEnd end) : copy_(copy), place_(place), end_(end) {}

    void bytes(std::initializer_list<uint8_t> bytes) { add(bytes.begin(), bytes.size()); }
    void add(const void* bytes, size_t size) {
        memcpy(copy_.bytes.data() + copy_.size, bytes, size);
        copy_.size += size;
    }
    void word(uint32_t value) { add(&value, sizeof value); }
    // The distance from behind these four bytes.
    void distance_to(uintptr_t target) { word(distance(here() + sizeof(uint32_t), target)); }
    uint32_t distance(uintptr_t from, uintptr_t to) {
        const auto bytes = static_cast<intptr_t>(to - from);
        is_in_reach_ = is_in_reach_ && bytes == static_cast<int32_t>(bytes);
        return static_cast<uint32_t>(bytes);
    }
    bool is_in_reach() const { return is_in_reach_; }
    void jump_to(uintptr_t target) {
        bytes({0xe9});
        distance_to(target);
    }
    // The last thing that the copy does.
    void go_on_at(uintptr_t behind) {
        if (end_ == CopyEnd::jumps_back) jump_to(behind);
    }
    bool runs_on() const { return end_ == CopyEnd::runs_on; }
    // Leaves the flags and all registers alone.
    void push(uintptr_t value) {
        bytes({0x68});
        word(static_cast<uint32_t>(value));
        bytes({0xc7, 0x44, 0x24, 0x04});  // mov dword [rsp+4], the upper half
        word(static_cast<uint32_t>(value >> 32));
    }
    void change_word(size_t at, uint32_t value) { memcpy(copy_.bytes.data() + at, &value, sizeof value); }
    uintptr_t here() const { return place_ + copy_.size; }

 private:
    InstructionCopy& copy_;
    uintptr_t place_;
    CopyEnd end_;
    bool is_in_reach_ = true;
};

struct Original {
    const uint8_t* bytes;
    uintptr_t address;
    ZydisDecodedInstruction decoded;

    uintptr_t behind() const { return address + decoded.length; }
    uintptr_t target() const { return behind() + static_cast<uintptr_t>(decoded.raw.imm[0].value.s); }
};

bool is_conditional(const ZydisDecodedInstruction& instruction) {
    return instruction.meta.category == ZYDIS_CATEGORY_COND_BR;
}

void copy_branch(Assembler& to, const Original& original) {
    const ZydisDecodedInstruction& decoded = original.decoded;
    if (decoded.mnemonic == ZYDIS_MNEMONIC_CALL) {
        to.push(original.behind());
        to.jump_to(original.target());
        return;
    }
    if (!is_conditional(decoded)) return to.jump_to(original.target());
    if (is_short_only(decoded)) {
        constexpr uint8_t long_jump = 5;
        to.add(original.bytes, decoded.length - 1u);
        to.bytes({long_jump});
    } else {
        constexpr uint8_t condition = 0x0f, opposite = 1, short_jump = 0x70, long_jump = 5;
        to.bytes({static_cast<uint8_t>(short_jump | ((decoded.opcode & condition) ^ opposite)), long_jump});
        to.jump_to(original.target());
        return to.go_on_at(original.behind());
    }
    to.jump_to(original.behind());
    to.jump_to(original.target());
}

void copy_other(Assembler& to, const Original& original) {
    const ZydisDecodedInstruction& decoded = original.decoded;
    const bool is_relative = has(decoded, ZYDIS_ATTRIB_IS_RELATIVE);
    const uintptr_t data = original.behind() + static_cast<uintptr_t>(decoded.raw.disp.value);
    const bool is_call = decoded.mnemonic == ZYDIS_MNEMONIC_CALL;
    const size_t begin = to.here();
    const uintptr_t end = begin + decoded.length;
    to.add(original.bytes, decoded.length);
    if (is_relative) to.change_word(decoded.raw.disp.offset, to.distance(end, data));
    if (!is_call) to.go_on_at(original.behind());
}

// call [rip+x] and call rax push the address behind the copy: the call becomes a push and a jump of the same
// operand. A push moves the stack pointer, so an operand that lies on the stack is not reached.
bool copy_indirect_call(Assembler& to, const Original& original) {
    const ZydisDecodedInstruction& decoded = original.decoded;
    constexpr uint8_t stack_pointer = 4;
    const bool is_on_stack = decoded.raw.modrm.rm == stack_pointer && decoded.raw.rex.B == 0 &&
                             (decoded.raw.modrm.mod == 3 || decoded.raw.sib.base == stack_pointer);
    if (decoded.opcode != 0xff || decoded.raw.modrm.reg != 2 || is_on_stack) return false;
    to.push(original.behind());
    const uintptr_t data = original.behind() + static_cast<uintptr_t>(decoded.raw.disp.value);
    const uintptr_t begin = to.here();
    uint8_t jump[ZYDIS_MAX_INSTRUCTION_LENGTH];
    memcpy(jump, original.bytes, decoded.length);
    constexpr uint8_t reg_of_call = 2 << 3, reg_of_jump = 4 << 3;
    uint8_t& modrm = jump[decoded.raw.modrm.offset];
    modrm = static_cast<uint8_t>((modrm & ~(reg_of_call | reg_of_jump)) | reg_of_jump);
    if (has(decoded, ZYDIS_ATTRIB_IS_RELATIVE)) {
        const uint32_t distance = to.distance(begin + decoded.length, data);
        memcpy(jump + decoded.raw.disp.offset, &distance, sizeof distance);
    }
    to.add(jump, decoded.length);
    return true;
}

bool never_runs_on(const ZydisDecodedInstruction& instruction) {
    return instruction.meta.category == ZYDIS_CATEGORY_CALL ||
           instruction.meta.category == ZYDIS_CATEGORY_RET ||
           instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
           instruction.mnemonic == ZYDIS_MNEMONIC_UD2 || instruction.mnemonic == ZYDIS_MNEMONIC_HLT ||
           instruction.mnemonic == ZYDIS_MNEMONIC_INT3;
}

bool copy(Assembler& to, const Original& original) {
    const ZydisDecodedInstruction& decoded = original.decoded;
    // Its target runs with another state of the processor.
    if (decoded.mnemonic == ZYDIS_MNEMONIC_XBEGIN) return false;
    const bool has_target = has(decoded, ZYDIS_ATTRIB_IS_RELATIVE) && decoded.raw.imm[0].size != 0 &&
                            (is_conditional(decoded) || decoded.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
                             decoded.meta.category == ZYDIS_CATEGORY_CALL);
    if (has_target) {
        if (to.runs_on() && (!is_conditional(decoded) || is_short_only(decoded))) return false;
        copy_branch(to, original);
        return true;
    }
    if (to.runs_on() && never_runs_on(decoded)) return false;
    if (decoded.meta.category == ZYDIS_CATEGORY_CALL) return copy_indirect_call(to, original);
    if (has(decoded, ZYDIS_ATTRIB_IS_RELATIVE) && decoded.raw.disp.size != 32) return false;
    copy_other(to, original);
    return true;
}

}  // namespace

InstructionCopy InstructionCopy::of(const uint8_t* original, size_t readable, uintptr_t address,
                                    uintptr_t place, CopyEnd end) {
    InstructionCopy result;
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    Original what{original, address, {}};
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, nullptr, original, readable, &what.decoded)))
        return result;
    Assembler to(result, place, end);
    if (!copy(to, what) || !to.is_in_reach()) result.size = 0;
    return result;
}

}  // namespace ovni::code
