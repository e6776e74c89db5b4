// The code of a block, instruction by instruction.
#include <sys/syscall.h>

#include "code/cache/block_translation.hpp"
#include "code/cache/cache_switch.hpp"
#include "code/instruction_form.hpp"

namespace ovni::code {

namespace {

constexpr int watched_calls[] = {SYS_mmap,   SYS_mprotect,   SYS_munmap,       SYS_rt_sigreturn,
                                 SYS_mremap, SYS_clone,      SYS_fork,         SYS_vfork,
                                 SYS_clone3, SYS_arch_prctl, SYS_pkey_mprotect};

}  // namespace

void BlockTranslation::emit(const Instruction& instruction, size_t executed) noexcept {
    const ZydisDecodedInstruction& decoded = instruction.decoded;
    if (decoded.mnemonic == ZYDIS_MNEMONIC_SYSCALL) return emit_system_call(instruction, executed);
    switch (decoded.meta.category) {
        case ZYDIS_CATEGORY_CALL:
            return emit_call(instruction, executed);
        case ZYDIS_CATEGORY_RET:
            return emit_return(instruction, executed);
        case ZYDIS_CATEGORY_UNCOND_BR:
            return emit_jump(instruction, executed);
        case ZYDIS_CATEGORY_COND_BR:
            return emit_conditional(instruction);
        default:
            return emit_plain(instruction);
    }
}

void BlockTranslation::emit_plain(const Instruction& instruction) noexcept {
    const ZydisDecodedInstruction& decoded = instruction.decoded;
    uint8_t* copy = to_.here();
    to_.add(instruction.bytes.data(), decoded.length);
    if (!has(decoded, ZYDIS_ATTRIB_IS_RELATIVE)) return;
    const uint64_t data = instruction.behind() + static_cast<uint64_t>(decoded.raw.disp.value);
    Emitter(copy + decoded.raw.disp.offset)
        .word(static_cast<int64_t>(data - reinterpret_cast<uint64_t>(to_.here())));
}

void BlockTranslation::emit_conditional(const Instruction& instruction) noexcept {
    const ZydisDecodedInstruction& decoded = instruction.decoded;
    if (decoded.mnemonic == ZYDIS_MNEMONIC_XBEGIN) {
        to_.bytes({0xc7, 0xf8});
    } else if (is_short_only(decoded)) {
        constexpr int long_jump = 5;
        to_.add(instruction.bytes.data(), decoded.length - 1u);
        to_.bytes({long_jump, 0xe9});
        uint8_t* behind = to_.distance();
        emit_jump_to(instruction.target());
        to_.target(behind);
        return emit_jump_to(instruction.behind());
    } else {
        constexpr int condition = 0x0f;
        to_.bytes({0x0f, 0x80 | (decoded.opcode & condition)});
    }
    uint8_t* taken = to_.distance();
    emit_jump_to(instruction.behind());
    to_.target(taken);
    emit_jump_to(instruction.target());
}

// push of a literal that lies behind, aligned. Returns the end of the push.
uint8_t* BlockTranslation::emit_push(uint64_t value) noexcept {
    constexpr uintptr_t push = 6, jump = 2, alignment = sizeof value;
    uint8_t* end = to_.here() + push;
    const uintptr_t filler = (0 - reinterpret_cast<uintptr_t>(end + jump)) % alignment;
    to_.bytes({0xff, 0x35});
    to_.word(static_cast<int64_t>(jump + filler));
    to_.bytes({0xeb, static_cast<int>(filler + sizeof value)});
    for (uintptr_t i = 0; i < filler; ++i) to_.bytes({0x90});
    to_.quad(value);
    return end;
}

void BlockTranslation::emit_call(const Instruction& instruction, size_t executed) noexcept {
    const bool is_direct = has_distance(instruction.decoded);
    if (!is_direct) {
        to_.save_rcx();
        mark(State::rcx_saved, instruction.address, executed);
        emit_operand_to_rcx(instruction);
    }
    const uint8_t* pushed = emit_push(instruction.behind());
    mark(is_direct ? State::exact : State::target_in_rcx,
         is_direct ? instruction.target() : instruction.address, executed + 1);
    // It holds from behind the push itself.
    marks_[mark_count_ - 1].at = static_cast<uint16_t>(pushed - begin_);
    if (is_direct) return emit_jump_to(instruction.target());
    emit_indirect(executed + 1, Leaving::by_jump);
}

void BlockTranslation::emit_jump(const Instruction& instruction, size_t executed) noexcept {
    if (has_distance(instruction.decoded)) return emit_jump_to(instruction.target());
    to_.save_rcx();
    mark(State::rcx_saved, instruction.address, executed);
    emit_operand_to_rcx(instruction);
    mark(State::target_in_rcx, instruction.address, executed + 1);
    emit_indirect(executed + 1, Leaving::by_jump);
}

void BlockTranslation::emit_return(const Instruction& instruction, size_t executed) noexcept {
    const ZydisDecodedInstruction& decoded = instruction.decoded;
    const uint64_t dropped = decoded.opcode == 0xc2 ? decoded.raw.imm[0].value.u & 0xffff : 0;
    to_.save_rcx();
    mark(State::rcx_saved, instruction.address, executed);
    to_.bytes({0x48, 0x8b, 0x0c, 0x24});  // mov (%rsp), %rcx
    to_.bytes({0x48, 0x8d, 0xa4, 0x24});  // lea n(%rsp), %rsp
    to_.word(static_cast<int64_t>(sizeof(uint64_t) + dropped));
    mark(State::target_in_rcx, instruction.address, executed + 1);
    emit_indirect(executed + 1, Leaving::by_return);
}

// The operand of a jump or a call becomes that of a mov: with the same bytes behind the opcode.
void BlockTranslation::emit_operand_to_rcx(const Instruction& instruction) noexcept {
    const ZydisDecodedInstruction& decoded = instruction.decoded;
    constexpr int rcx = 1;
    if (has(decoded, ZYDIS_ATTRIB_HAS_SEGMENT_FS)) to_.bytes({0x64});
    if (decoded.address_width == 32) to_.bytes({0x67});
    to_.bytes({0x48 | decoded.raw.rex.X << 1 | decoded.raw.rex.B, 0x8b,
               decoded.raw.modrm.mod << 6 | rcx << 3 | decoded.raw.modrm.rm});
    const size_t rest = decoded.raw.modrm.offset + 1u;
    to_.add(instruction.bytes.data() + rest, decoded.length - rest);
    if (!has(decoded, ZYDIS_ATTRIB_IS_RELATIVE)) return;
    const uint64_t data = instruction.behind() + static_cast<uint64_t>(decoded.raw.disp.value);
    Emitter(to_.here() - sizeof(int32_t))
        .word(static_cast<int64_t>(data - reinterpret_cast<uint64_t>(to_.here())));
}

// The address is in rcx. No flag is changed.
void BlockTranslation::emit_indirect(size_t executed, Leaving how) noexcept {
    to_.with_gs({0x48, 0x89, 0x0c, 0x25}, place_of::target);
    mark(State::target_saved, address_, executed);
    if (owner_ == Owner::tracer) {
        to_.with_gs({0xc7, 0x04, 0x25}, place_of::is_return);  // movl $how, is_return
        to_.word(how == Leaving::by_return ? 1 : 0);
    }
    if (form_.is_step) return to_.jump_far(code_address(ovni_code_miss));
    to_.bytes({0x0f, 0xb7, 0xc9});  // movzwl %cx, %ecx
    to_.bytes({0xff, 0x24, 0xcd});  // jmp *table(, %rcx, 8)
    to_.word(static_cast<int64_t>(host_.table(form_.work, owner_)));
}

void BlockTranslation::emit_system_call(const Instruction& instruction, size_t executed) noexcept {
    constexpr int system_call[] = {0x0f, 0x05};
    std::array<uint8_t*, std::size(watched_calls)> watched;
    for (size_t i = 0; i < watched.size(); ++i) {
        to_.bytes({0x8d, 0x88});  // lea -number(%rax), %ecx
        to_.word(-watched_calls[i]);
        to_.bytes({0x67, 0xe3});  // jecxz
        watched[i] = to_.short_distance();
    }
    to_.bytes({0xe9});
    uint8_t* usual = to_.distance();
    for (uint8_t* distance : watched) to_.short_target(distance);
    // The place to go on is not known before it is there.
    mark(State::leaving, instruction.address, executed);
    to_.save_rax();
    to_.bytes({0x48, 0xb8});
    uint8_t* request = to_.here();
    to_.quad(0);
    to_.jump_far(code_address(ovni_code_resolve));
    const uint64_t kept =
        reinterpret_cast<uint64_t>(host_.keep({RequestKind::system_call, instruction.address, to_.here()}));
    memcpy(request, &kept, sizeof kept);
    mark(State::exact, instruction.address, executed);
    to_.with_gs({0x48, 0x89, 0x24, 0x25}, place_of::stack_at_clone);
    to_.bytes({system_call[0], system_call[1]});
    mark(State::exact, instruction.behind(), executed + 1);
    to_.bytes({0x48, 0x89, 0xc1, 0xe3});  // mov %rax, %rcx; jrcxz
    uint8_t* zero = to_.short_distance();
    emit_jump_to(instruction.behind());
    to_.short_target(zero);
    mark(State::exact, instruction.behind(), executed + 1);
    // A child that shares our memory and has a stack of its own is another thread: it runs the program's own
    // code.
    to_.with_gs({0x48, 0x8b, 0x0c, 0x25}, place_of::stack_at_clone);
    to_.bytes({0x48, 0xf7, 0xd1});                    // not %rcx
    to_.bytes({0x48, 0x8d, 0x4c, 0x0c, 0x01, 0xe3});  // lea 1(%rsp, %rcx), %rcx; jrcxz
    uint8_t* same = to_.short_distance();
    to_.jump_far(instruction.behind());
    to_.short_target(same);
    emit_request({RequestKind::returned_zero, instruction.behind(), nullptr});

    to_.target(usual);
    mark(State::exact, instruction.address, executed);
    to_.bytes({system_call[0], system_call[1]});
    emit_jump_to(instruction.behind());
}

// A jump that is sent on when the block there is translated.
void BlockTranslation::emit_jump_to(uint64_t address) noexcept {
    constexpr int near_jump = 0xe9;
    if (form_.is_step) return emit_request({RequestKind::jump, address, nullptr});
    mark(State::exact, address, count_);
    to_.align(sizeof(int32_t), 1);
    uint8_t* slot = to_.here();
    to_.bytes({near_jump});
    to_.word(0);
    to_.jump_far(0);
    Emitter(to_.here()).target(slot + 1);
    emit_request({RequestKind::jump, address, slot});
    if (const uint8_t* known = host_.known(address, form_.work, owner_)) link(slot, known);
}

// One aligned store of four bytes sends a jump somewhere else.
void BlockTranslation::link(uint8_t* slot, const uint8_t* to) noexcept {
    constexpr size_t near = 5;
    int64_t distance = to - (slot + near);
    if (distance != static_cast<int32_t>(distance)) {
        const auto far = reinterpret_cast<uint64_t>(to);
        memcpy(Emitter::literal_of_jump(slot + near), &far, sizeof far);
        distance = 0;
    }
    __atomic_store_n(reinterpret_cast<int32_t*>(slot + 1), static_cast<int32_t>(distance), __ATOMIC_RELEASE);
}

void BlockTranslation::emit_request(Request request) noexcept {
    mark(State::leaving, request.address, count_);
    to_.save_rax();
    to_.set_rax(reinterpret_cast<uint64_t>(host_.keep(request)));
    to_.jump_far(code_address(ovni_code_resolve));
}

void BlockTranslation::translate_arrival(const Piece& to, uint8_t* at, Piece& piece,
                                         std::span<Mark> marks) noexcept {
    Emitter emitter(at);
    size_t count = 0;
    auto mark = [&](State state) {
        marks[count++] = {0, static_cast<uint16_t>(emitter.here() - at), state, 0};
    };
    mark(State::target_saved);
    emitter.with_gs({0x48, 0x8b, 0x0c, 0x25}, place_of::target);
    emitter.save_rax();
    mark(State::target_rax_saved);
    emitter.set_rax(0 - to.address);
    emitter.bytes({0x48, 0x8d, 0x0c, 0x01, 0xe3});  // lea (%rcx, %rax), %rcx; jrcxz
    uint8_t* same = emitter.short_distance();
    mark(State::leaving);
    emitter.restore_rax();
    emitter.jump_far(code_address(ovni_code_miss));
    emitter.short_target(same);
    mark(State::target_rax_saved);
    emitter.restore_rax();
    mark(State::target_saved);
    emitter.restore_rcx();
    mark(State::exact);
    emitter.bytes({0xe9});
    emitter.word(to.begin - (emitter.here() + sizeof(int32_t)));
    piece = {};
    piece.address = to.address;
    piece.begin = at;
    piece.bytes = static_cast<uint32_t>(emitter.here() - at);
    piece.marks = marks.data();
    piece.mark_count = static_cast<uint16_t>(count);
    piece.form = to.form;
    piece.owner = to.owner;
}

}  // namespace ovni::code
