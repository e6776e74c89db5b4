#include "code/cache/program_state.hpp"

#include <algorithm>

namespace ovni::code {

namespace {

const Mark& mark_at(const Piece& piece, uint64_t host) noexcept {
    const auto at = static_cast<uint32_t>(host - reinterpret_cast<uint64_t>(piece.begin));
    const Mark* behind = std::upper_bound(piece.marks, piece.marks + piece.mark_count, at,
                                          [](uint32_t wanted, const Mark& mark) { return wanted < mark.at; });
    return *(behind == piece.marks ? behind : behind - 1);
}

// ah holds the lower flags as lahf leaves them, al the overflow flag.
uint64_t flags_in(uint64_t rax, uint64_t flags, bool was_added) noexcept {
    constexpr uint64_t lower = 0xd5, overflow = 0x800;
    const bool has_overflow = was_added ? (rax & 0x80) != 0 : (rax & 1) != 0;
    return (flags & ~(lower | overflow)) | (rax >> 8 & lower) | (has_overflow ? overflow : 0);
}

}  // namespace

State state_at(const Piece& piece, uint64_t host) noexcept {
    return mark_at(piece, host).state;
}

int64_t show_program_state(const Piece& piece, const ThreadContext& context, greg_t* registers) noexcept {
    const Mark& mark = mark_at(piece, static_cast<uint64_t>(registers[REG_RIP]));
    using enum State;
    auto value = [&](int place) { return static_cast<uint64_t>(registers[place]); };
    auto set = [&](int place, uint64_t to) { registers[place] = static_cast<greg_t>(to); };
    const State state = mark.state;
    const uint64_t usual = piece.address + static_cast<uint64_t>(int64_t{mark.distance});
    const uint64_t address = state == target_in_rcx                               ? value(REG_RCX)
                             : state == target_saved || state == target_rax_saved ? context.target
                                                                                  : usual;
    if (state == flags_in_rax || state == flags_added)
        set(REG_EFL, flags_in(value(REG_RAX), value(REG_EFL), state == flags_added));
    if (state == rax_saved || state == flags_in_rax || state == flags_added || state == target_rax_saved)
        set(REG_RAX, context.registers.rax);
    if (state == rcx_saved || state == target_in_rcx || state == target_saved || state == target_rax_saved)
        set(REG_RCX, context.registers.rcx);
    set(REG_RIP, address);
    return mark.uncounted;
}

}  // namespace ovni::code
