// Pieces of translated code, and what is known of each of their instructions.
#pragma once

#include <cstdint>

#include "code/cache/owner.hpp"

namespace ovni::code {

// How a block is translated.
struct Form {
    Work work = Work::program;
    bool is_behind = false;  // of one instruction that was reported before
    bool is_step = false;    // of one instruction; then the resolver comes, which counts it
};

// The places of the program's registers, at a place in translated code.
enum class State : uint8_t {
    exact,             // all in place
    rax_saved,         // rax is in the context
    flags_in_rax,      // and the flags are in ah, the overflow is al
    flags_added,       // likewise, but the overflow is the sign of al
    rcx_saved,         // rcx is in the context
    target_in_rcx,     // rcx is in the context, the address of the program is in rcx
    target_saved,      // both are in the context
    target_rax_saved,  // and so is rax
    leaving            // on the way to the resolver for certain
};

// Holds from that byte of the translated code to the next mark.
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
    uint8_t* body;                     // behind the counting
    uint32_t program_bytes;            // that it was made of
    Piece* by_jump = nullptr;          // what indirect jumps come to, made when it is needed
    bool is_block = false;             // no stub
    const uint8_t* program = nullptr;  // the bytes it was made of, if the program may change them at any time
    bool is_stale = false;
};

enum class RequestKind : uint8_t {
    jump,           // go on at `address`; the jump at `slot`, if there is one, may go there at once
    target,         // go on at the target in the context
    spent,          // fewer instructions are left than the piece at `slot` has
    place,          // something waits for the instruction at `address`
    system_call,    // about to be made; goes on at `slot`
    returned_zero,  // the system call did, maybe in a child; goes on at `address`
    native_call,    // rdi is a function for the resolver, rsi its argument
    untranslated    // the program's own code must run there
};

// Translated code asks the resolver for this.
struct Request {
    RequestKind kind;
    uint64_t address;
    uint8_t* slot;
};

}  // namespace ovni::code
