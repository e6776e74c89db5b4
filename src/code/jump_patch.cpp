#include "code/jump_patch.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "code/instruction_copy.hpp"
#include "code/instruction_form.hpp"
#include "code/patched_hit.hpp"
#include "code/sites.hpp"
#include "code/written_code.hpp"

namespace ovni::code {

namespace {

// push and pop of segments, and arithmetic of decimal digits, as they were before 64 bits
constexpr std::array<uint8_t, 11> illegal = {0x37, 0x3f, 0x2f, 0x27, 0x1f, 0x1e,
                                             0x17, 0x16, 0x0e, 0x07, 0x06};

// A jump comes to this: the report, and copies of the instructions that it covers.
class Trampoline {
 public:
    explicit Trampoline(uintptr_t place) : place_(place) {}

    void bytes(std::initializer_list<uint8_t> bytes) { add(bytes.begin(), bytes.size()); }
    void add(const void* bytes, size_t size) {
        memcpy(bytes_.data() + size_, bytes, size);
        size_ += size;
    }
    template <class Word>
    void word(Word value) {
        add(&value, sizeof value);
    }
    uintptr_t here() const { return place_ + size_; }
    bool write() const { return write_code(place_, bytes_.data(), size_); }

    static constexpr size_t most_bytes = 64 + JumpPatch::bytes * InstructionCopy::most;

 private:
    uintptr_t place_;
    std::array<uint8_t, most_bytes> bytes_{};
    size_t size_ = 0;
};

// See patched_hit.cpp for what lies on the stack.
uintptr_t add_report(Trampoline& to, const Site& site) {
    to.word(reinterpret_cast<uintptr_t>(ovni_code_patched_site));
    const uintptr_t begin = to.here();
    to.bytes({0x48, 0x8d, 0xa4, 0x24});  // lea rsp, [rsp-...]
    to.word(-below_stack_pointer);
    to.bytes({0x50});        // push rax
    to.bytes({0x48, 0xb8});  // mov rax, site
    to.word(reinterpret_cast<uintptr_t>(&site));
    to.bytes({0x48, 0x89, 0x44, 0x24, 0x08});  // mov [rsp+8], rax
    to.bytes({0xff, 0x15});                    // call [rip-...]
    to.word(static_cast<int32_t>(begin - sizeof(uintptr_t) - (to.here() + sizeof(int32_t))));
    to.bytes({0x58});                    // pop rax
    to.bytes({0x48, 0x8d, 0xa4, 0x24});  // lea rsp, [rsp+...]
    to.word(below_stack_pointer);
    return begin;
}

struct Instructions {
    Instructions() { ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }
    bool decode(std::span<const uint8_t> code) {
        return !code.empty() && ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, nullptr, code.data(),
                                                                           code.size(), &decoded));
    }
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
};

bool is_padding(std::span<const uint8_t> code, size_t size) {
    Instructions instructions;
    for (size_t at = 0; at < size; at += instructions.decoded.length)
        if (!instructions.decode(code.subspan(at)) || instructions.decoded.mnemonic != ZYDIS_MNEMONIC_NOP)
            return false;
    return true;
}

bool add_copies(Trampoline& to, const Site& site, std::span<const uint8_t> code, JumpPatch& patch) {
    Instructions instructions;
    for (size_t at = 0; at < JumpPatch::bytes; at += instructions.decoded.length) {
        // The program may jump behind a lock prefix. An int3 of others stays theirs.
        if (!instructions.decode(code.subspan(at)) || (at > 0 && code[at] == int3_byte) ||
            (instructions.decoded.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0)
            return false;
        auto copy_of = [&](CopyEnd end) {
            return InstructionCopy::of(&code[at], code.size() - at, site.address + at, to.here(), end);
        };
        const size_t end = at + instructions.decoded.length;
        InstructionCopy copy = copy_of(end < JumpPatch::bytes ? CopyEnd::runs_on : CopyEnd::jumps_back);
        // Behind a return, a function may have some bytes of padding.
        if (copy.size == 0 && end < JumpPatch::bytes && is_padding(code.subspan(end), JumpPatch::bytes - end))
            copy = copy_of(CopyEnd::jumps_back);
        if (copy.size == 0) return false;
        patch.copies[at] = to.here();
        to.add(copy.bytes.data(), copy.size);
    }
    return true;
}

// The bytes of the jump's distance at which an instruction of the program begins.
FixedBytes traps_inside(const JumpPatch& patch) {
    FixedBytes fixed;
    for (size_t byte = 1; byte < JumpPatch::bytes; ++byte) {
        const auto shift = static_cast<unsigned>(8 * (byte - 1));
        if (!patch.begins_at(byte)) continue;
        fixed.mask |= uint32_t{0xff} << shift;
        fixed.value |= uint32_t{int3_byte} << shift;
    }
    return fixed;
}

FixedBytes with_last_byte(FixedBytes fixed, uint8_t byte) {
    constexpr unsigned shift = 24;
    fixed.value = (fixed.value & ~(uint32_t{0xff} << shift)) | uint32_t{byte} << shift;
    return fixed;
}

}  // namespace

bool JumpPatches::make(const Site& site, std::span<const uint8_t> code, JumpPatch& patch) noexcept {
    const uintptr_t place = memory_.take(site.address, Trampoline::most_bytes);
    if (place == 0) return false;
    Trampoline trampoline(place);
    uintptr_t target = add_report(trampoline, site);
    if (!add_copies(trampoline, site, code, patch) || !trampoline.write()) return false;
    const uintptr_t behind = site.address + JumpPatch::bytes;
    const FixedBytes fixed = traps_inside(patch);
    if (fixed.mask != 0) {
        uintptr_t pad = pads_.make(behind, fixed, target);
        for (size_t i = 0;
             pad == 0 && may_be_illegal_ && patch.begins_at(JumpPatch::bytes - 1) && i < illegal.size(); ++i)
            pad = pads_.make(behind, with_last_byte(fixed, illegal[i]), target);
        target = pad;
    }
    if (target == 0) return false;
    const auto distance = static_cast<int32_t>(target - behind);
    constexpr uint8_t jump = 0xe9;
    patch.jump[0] = jump;
    memcpy(patch.jump.data() + 1, &distance, sizeof distance);
    std::copy_n(code.begin(), JumpPatch::bytes, patch.original.begin());
    return true;
}

}  // namespace ovni::code
