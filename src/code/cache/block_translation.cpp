#include "code/cache/block_translation.hpp"

#include <sys/syscall.h>

#include <algorithm>

#include "code/cache/cache_switch.hpp"
#include "code/instruction_form.hpp"

namespace ovni::code {

namespace {

constexpr uint32_t all_flags = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
                               ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;
constexpr uint8_t group_5 = 0xff;  // jumps and calls to an operand, among others

constexpr int watched_calls[] = {SYS_mmap,   SYS_mprotect,   SYS_munmap,       SYS_rt_sigreturn,
                                 SYS_mremap, SYS_clone,      SYS_fork,         SYS_vfork,
                                 SYS_clone3, SYS_arch_prctl, SYS_pkey_mprotect};

uint64_t code_address(void (*function)()) {
    return reinterpret_cast<uint64_t>(function);
}

bool has(const ZydisDecodedInstruction& instruction, ZydisInstructionAttributes attribute) {
    return (instruction.attributes & attribute) != 0;
}

bool has_distance(const ZydisDecodedInstruction& instruction) {
    return has(instruction, ZYDIS_ATTRIB_IS_RELATIVE) && instruction.raw.imm[0].size != 0;
}

bool is_to_operand(const ZydisDecodedInstruction& instruction, int call_or_jump) {
    return instruction.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && instruction.opcode == group_5 &&
           instruction.raw.modrm.reg == call_or_jump;
}
constexpr int call_operand = 2, jump_operand = 4;

bool is_near_return(const ZydisDecodedInstruction& instruction) {
    constexpr uint8_t plain = 0xc3, with_size = 0xc2;
    return instruction.mnemonic == ZYDIS_MNEMONIC_RET &&
           (instruction.opcode == plain || instruction.opcode == with_size);
}

bool is_branch(const ZydisDecodedInstruction& instruction) {
    const ZydisInstructionCategory category = instruction.meta.category;
    return category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_RET ||
           category == ZYDIS_CATEGORY_UNCOND_BR || category == ZYDIS_CATEGORY_COND_BR;
}

bool changes_gs(const ZydisDecodedInstruction& instruction) {
    constexpr uint8_t move_to_segment = 0x8e, gs = 5, pop_gs = 0xa9;
    const bool is_move = instruction.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
                         instruction.opcode == move_to_segment && instruction.raw.modrm.reg == gs;
    const bool is_pop = instruction.mnemonic == ZYDIS_MNEMONIC_POP && instruction.opcode == pop_gs &&
                        instruction.opcode_map != ZYDIS_OPCODE_MAP_DEFAULT;
    return is_move || is_pop;
}

// GS is ours in translated code. Far branches, and addresses of 32 bits from here, are of no use today.
bool can_be_translated(const ZydisDecodedInstruction& instruction) {
    if (has(instruction, ZYDIS_ATTRIB_HAS_SEGMENT_GS) || changes_gs(instruction)) return false;
    for (const ZydisMnemonic refused :
         {ZYDIS_MNEMONIC_LGS, ZYDIS_MNEMONIC_RDGSBASE, ZYDIS_MNEMONIC_WRGSBASE, ZYDIS_MNEMONIC_SYSENTER})
        if (instruction.mnemonic == refused) return false;
    const bool is_relative = has(instruction, ZYDIS_ATTRIB_IS_RELATIVE);
    if (is_relative && instruction.address_width != 64 && !has_distance(instruction)) return false;
    if (!is_branch(instruction)) return !is_relative || instruction.raw.disp.size == 32;
    if (has_distance(instruction)) return true;
    return is_near_return(instruction) || is_to_operand(instruction, call_operand) ||
           is_to_operand(instruction, jump_operand);
}

}  // namespace

BlockTranslation::BlockTranslation(TranslationHost& host, const Sites& sites,
                                   const InstructionMatch& match) noexcept
    : host_(host), sites_(sites), match_(match) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

// As the program was made, without our int3.
bool BlockTranslation::decode(uint64_t address, uint64_t end, Instruction& instruction) const noexcept {
    const size_t readable = std::min<uint64_t>(end - address, instruction.bytes.size());
    memcpy(instruction.bytes.data(), reinterpret_cast<const void*>(address), readable);
    sites_.restore(address, {instruction.bytes.data(), readable});
    instruction.address = address;
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, nullptr, instruction.bytes.data(), readable,
                                                      &instruction.decoded));
}

bool BlockTranslation::is_place(const Instruction& instruction, uint64_t end) const noexcept {
    if (form_.work == Work::tracer) return false;
    if (sites_.find(instruction.address) != nullptr) return true;
    return form_.work == Work::searched &&
           match_.holds(instruction.decoded, reinterpret_cast<const uint8_t*>(instruction.address),
                        reinterpret_cast<const uint8_t*>(end));
}

void BlockTranslation::collect(const Source& source, Form form) noexcept {
    const size_t most = form.is_step || form.is_behind ? 1 : most_instructions;
    form_ = form;
    count_ = 0;
    end_ = End::goes_on;
    for (uint64_t address = source.address; count_ < most; ++count_) {
        Instruction& instruction = instructions_[count_];
        const bool is_first_behind = form.is_behind && count_ == 0;
        if (address >= source.end || !decode(address, source.end, instruction) ||
            !can_be_translated(instruction.decoded)) {
            end_ = count_ == 0 ? End::cannot : End::goes_on;
            return;
        }
        if (!is_first_behind && is_place(instruction, source.end)) {
            end_ = count_ == 0 ? End::before_place : End::goes_on;
            return;
        }
        // It becomes a request, as it must not run in translated code.
        if (address == code_address(reinterpret_cast<void (*)()>(ovni_code_run_natively)) && count_ > 0)
            return;
        const ZydisMnemonic mnemonic = instruction.decoded.mnemonic;
        const bool is_end = mnemonic == ZYDIS_MNEMONIC_UD2 || mnemonic == ZYDIS_MNEMONIC_HLT ||
                            mnemonic == ZYDIS_MNEMONIC_INT3;
        if (is_branch(instruction.decoded) || mnemonic == ZYDIS_MNEMONIC_SYSCALL) {
            end_ = End::branch;
            ++count_;
            return;
        }
        address = instruction.behind();
        if (is_end) {
            ++count_;
            return;
        }
    }
}

// True if the block may need the flags that it begins with. Nobody passes flags to a function, or back.
bool BlockTranslation::are_flags_live() const noexcept {
    uint32_t set = 0;
    for (size_t i = 0; i < count_; ++i) {
        const ZydisDecodedInstruction& instruction = instructions_[i].decoded;
        if (const ZydisAccessedFlags* flags = instruction.cpu_flags) {
            if ((flags->tested & all_flags & ~set) != 0) return true;
            // A repeated instruction, or a shift by zero, may leave them alone.
            const bool may_keep =
                has(instruction, ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE) ||
                instruction.meta.category == ZYDIS_CATEGORY_SHIFT ||
                instruction.meta.category == ZYDIS_CATEGORY_ROTATE;
            if (!may_keep)
                set |= (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) & all_flags;
            if (set == all_flags) return false;
        }
    }
    if (end_ != End::branch) return true;
    const ZydisDecodedInstruction& last = instructions_[count_ - 1].decoded;
    const bool is_through_table = is_to_operand(last, jump_operand) && has(last, ZYDIS_ATTRIB_IS_RELATIVE);
    return last.meta.category != ZYDIS_CATEGORY_CALL && last.meta.category != ZYDIS_CATEGORY_RET &&
           !is_through_table;
}

void BlockTranslation::mark(State state, uint64_t address, size_t executed) noexcept {
    const auto at = static_cast<uint16_t>(to_.here() - begin_);
    if (mark_count_ == most_marks) return;
    const size_t counted = is_counted_ ? count_ : 0;
    marks_[mark_count_++] = {static_cast<int32_t>(address - address_), at, state,
                             static_cast<uint8_t>(counted > executed ? counted - executed : 0)};
}

bool BlockTranslation::translate(const Source& source, Form form, uint8_t* to, Piece& piece) noexcept {
    collect(source, form);
    to_ = Emitter(to);
    begin_ = to;
    address_ = source.address;
    mark_count_ = 0;
    owner_ = source.owner;
    is_counted_ =
        source.is_counted && form.work != Work::tracer && !form.is_behind && !form.is_step && count_ > 0;
    uint64_t behind = source.address;
    if (count_ > 0) behind = instructions_[count_ - 1].behind();
    piece = {};
    piece.address = source.address;
    piece.begin = to;
    piece.is_block = true;
    piece.instructions = static_cast<uint8_t>(is_counted_ ? count_ : 0);
    piece.form = form;
    piece.owner = owner_;
    piece.program_bytes = static_cast<uint32_t>(std::max<uint64_t>(behind - source.address, 1));

    const bool is_live = is_counted_ && are_flags_live();
    uint8_t* spent = nullptr;
    if (source.address == code_address(reinterpret_cast<void (*)()>(ovni_code_run_natively))) {
        to_.bytes({0x0f, 0x1f, 0x44, 0x00, 0x00});
        emit_request({RequestKind::native_call, source.address, nullptr});
        end_ = End::branch;
        count_ = 0;
    } else if (is_counted_) {
        emit_count(source, is_live);
        spent = to_.here() - sizeof(int32_t);
        if (is_live) {
            mark(State::flags_in_rax, source.address, 0);
            to_.bytes({0x04, 0x7f});  // add $0x7f, %al
            mark(State::flags_added, source.address, 0);
            to_.bytes({0x9e});  // sahf
            mark(State::rax_saved, source.address, 0);
            to_.restore_rax();
        }
    } else {
        // Five bytes that a jump may replace.
        mark(State::exact, source.address, 0);
        to_.bytes({0x0f, 0x1f, 0x44, 0x00, 0x00});
    }
    piece.body = to_.here();
    for (size_t i = 0; i < count_; ++i) {
        mark(State::exact, instructions_[i].address, i);
        emit(instructions_[i], i);
    }
    if (end_ == End::goes_on) emit_jump_to(behind);
    if (end_ == End::before_place) emit_request({RequestKind::place, source.address, nullptr});
    if (end_ == End::cannot) emit_request({RequestKind::untranslated, source.address, nullptr});
    if (spent != nullptr) {
        Emitter(to_.here()).target(spent);
        mark(State::leaving, source.address, 0);
        if (is_live)
            to_.bytes({0x04, 0x7f, 0x9e});
        else
            to_.save_rax();
        // The piece is known by its begin.
        to_.set_rax(reinterpret_cast<uint64_t>(host_.keep({RequestKind::spent, source.address, to})));
        to_.jump_far(code_address(ovni_code_resolve));
    }
    piece.bytes = static_cast<uint32_t>(to_.here() - to);
    piece.marks = marks_.data();
    piece.mark_count = static_cast<uint16_t>(mark_count_);
    return to_.is_in_reach();
}

// sub $n, left; js spent. The flags of the program are kept in rax meanwhile, if they may be needed.
void BlockTranslation::emit_count(const Source& source, bool is_live) noexcept {
    const bool was_counted = is_counted_;
    is_counted_ = false;
    mark(State::exact, source.address, 0);
    if (is_live) {
        to_.save_rax();
        mark(State::rax_saved, source.address, 0);
        to_.bytes({0x9f, 0x0f, 0x90, 0xc0});  // lahf; seto %al
    }
    is_counted_ = was_counted;
    to_.with_gs({0x48, 0x81, 0x2c, 0x25}, place_of::left);
    to_.word(static_cast<int64_t>(count_));
    mark(is_live ? State::flags_in_rax : State::exact, source.address, 0);
    to_.bytes({0x0f, 0x88});
    to_.distance();
}

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
