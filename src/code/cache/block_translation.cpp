#include "code/cache/block_translation.hpp"

#include <algorithm>

#include "code/cache/cache_switch.hpp"
#include "code/instruction_form.hpp"

namespace ovni::code {

namespace {

constexpr uint32_t all_flags = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
                               ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;
constexpr uint8_t group_5 = 0xff;  // jumps and calls to an operand, among others

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

}  // namespace ovni::code
