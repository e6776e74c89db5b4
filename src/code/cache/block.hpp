// Pieces of translated code, and the facts about each of their instructions.
#pragma once

#include <cstdint>

#include "code/cache/owner.hpp"

namespace ovni::code {

// How a block is translated.
struct Form {
    Work work = Work::program;
    bool is_behind = false;  // begins with an instruction that was reported before
    bool is_step = false;    // has one instruction; then the resolver follows and counts it
};

// The locations of the program's registers, at a place in translated code.
enum class State : uint8_t {
    exact,             // all in their registers
    rax_saved,         // rax is in the context
    flags_in_rax,      // rax in the context, the flags in ah, the overflow flag in al
    flags_added,       // as flags_in_rax, but the overflow flag is the sign of al
    rcx_saved,         // rcx is in the context
    target_in_rcx,     // rcx is in the context, the program address is in rcx
    target_saved,      // rcx and the program address are in the context
    target_rax_saved,  // as target_saved, and rax is in the context
    leaving            // certain to reach the resolver
};

// Valid from byte `at` of the translated code to the next mark.
struct Mark {
    int32_t distance;  // of the program's address from that of the block
    uint16_t at;       // bytes from the begin of the translated code
    State state;
    uint8_t uncounted;  // instructions that were counted and are still to be executed
};

struct Piece {
    uint64_t address;  // in the program
    uint8_t* begin;    // translated
    uint32_t bytes;
    uint16_t mark_count;
    uint8_t instructions;  // that are counted at its begin
    Form form;
    Owner owner;
    const Mark* marks;
    uint8_t* body;             // behind the counting
    uint32_t program_bytes;    // that it was made of
    Piece* by_jump = nullptr;  // where indirect jumps arrive, made when needed
    bool is_block = false;     // no stub
    const uint8_t* program =
        nullptr;  // copy of the program's bytes, if the program may change them at any time
    bool is_stale = false;
};

enum class RequestKind : uint8_t {
    jump,           // continue at `address`; a jump at `slot` may be linked there
    target,         // continue at the target in the context
    spent,          // fewer instructions are left than the piece at `slot` has
    place,          // an alarm waits for the instruction at `address`
    system_call,    // a system call follows; continue at `slot`
    returned_zero,  // the system call returned 0, maybe in a child; continue at `address`
    native_call,    // rdi is a function for the resolver, rsi its argument
    untranslated    // the program's own code must run there
};

// A request of translated code to the resolver.
struct Request {
    RequestKind kind;
    uint64_t address;
    uint8_t* slot;
};

}  // namespace ovni::code
