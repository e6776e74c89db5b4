// Translates one block of the program to one block of translated code. Return addresses on the stack stay
// those of the program, so exceptions, backtraces and returns to the program's own code work unchanged.
#pragma once

#include <Zydis/Zydis.h>

#include <array>
#include <span>

#include "code/cache/block.hpp"
#include "code/cache/emitter.hpp"
#include "code/cache/instruction_match.hpp"
#include "code/sites.hpp"

namespace ovni::code {

// The code that a block may read.
struct Source {
    uint64_t address, end;
    Owner owner;
    bool is_counted;
};

// The functions of the cache that a translation uses.
class TranslationHost {
 public:
    // Lives as long as the cache.
    virtual const Request* keep(const Request& request) noexcept = 0;
    // Translated code of that address in the usual form, or null. The jump there must not cross a border
    // (crossings.hpp).
    virtual uint8_t* known(uint64_t address, Work work, Owner from) noexcept = 0;
    // A table of 65536 jump targets, indexed by the lower 16 bits of the address.
    virtual uint64_t table(Work work, Owner owner) const noexcept = 0;

 protected:
    ~TranslationHost() = default;
};

class BlockTranslation {
 public:
    static constexpr size_t most_instructions = 100;
    static constexpr size_t most_bytes = size_t{16} << 10;
    static constexpr size_t most_marks = 4 * most_instructions;

    BlockTranslation(TranslationHost& host, const Sites& sites, const InstructionMatch& match) noexcept;

    // Translates to `to`, which has room for most_bytes. Returns false if a distance is too large. The marks
    // of the piece belong to this object.
    bool translate(const Source& source, Form form, uint8_t* to, Piece& piece) noexcept;
    // Writes the code at which indirect jumps to the piece arrive.
    static void translate_arrival(const Piece& to, uint8_t* at, Piece& piece, std::span<Mark> marks) noexcept;
    // Changes the target of the jump at `slot`, which threads may be running.
    static void link(uint8_t* slot, const uint8_t* to) noexcept;

 private:
    struct Instruction {
        ZydisDecodedInstruction decoded;
        std::array<uint8_t, ZYDIS_MAX_INSTRUCTION_LENGTH> bytes;
        uint64_t address;
        uint64_t behind() const noexcept { return address + decoded.length; }
        uint64_t target() const noexcept {
            return behind() + static_cast<uint64_t>(decoded.raw.imm[0].value.s);
        }
    };
    enum class End : uint8_t { goes_on, branch, before_place, cannot };

    bool decode(uint64_t address, uint64_t end, Instruction& instruction) const noexcept;
    bool is_place(const Instruction& instruction, uint64_t end) const noexcept;
    void collect(const Source& source, Form form) noexcept;
    bool are_flags_live() const noexcept;

    void mark(State state, uint64_t address, size_t executed) noexcept;
    void emit_count(const Source& source, bool is_live) noexcept;
    void emit_spent(const Piece& piece, uint8_t* distance, bool is_live) noexcept;
    void emit(const Instruction& instruction, size_t executed) noexcept;
    void emit_plain(const Instruction& instruction) noexcept;
    void emit_conditional(const Instruction& instruction) noexcept;
    void emit_call(const Instruction& instruction, size_t executed) noexcept;
    void emit_jump(const Instruction& instruction, size_t executed) noexcept;
    void emit_return(const Instruction& instruction, size_t executed) noexcept;
    void emit_system_call(const Instruction& instruction, size_t executed) noexcept;
    uint8_t* emit_push(uint64_t value) noexcept;
    void emit_operand_to_rcx(const Instruction& instruction) noexcept;
    enum class Leaving : uint8_t { by_jump, by_return };
    void emit_indirect(size_t executed, Leaving how) noexcept;
    void emit_jump_to(uint64_t address) noexcept;
    void emit_request(Request request) noexcept;

    TranslationHost& host_;
    const Sites& sites_;
    const InstructionMatch& match_;
    ZydisDecoder decoder_;

    std::array<Instruction, most_instructions> instructions_;
    size_t count_ = 0;
    End end_ = End::goes_on;
    Form form_;
    Owner owner_ = Owner::program;
    bool is_counted_ = false;
    uint64_t address_ = 0;
    uint8_t* begin_ = nullptr;
    Emitter to_{nullptr};
    std::array<Mark, most_marks> marks_;
    size_t mark_count_ = 0;
};

}  // namespace ovni::code
