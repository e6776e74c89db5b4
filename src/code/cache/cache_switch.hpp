// The ways between translated code and the resolver, in assembly language. The resolver is a function of ours
// that runs on a stack of its own, while all registers of the program are kept in its context.
#pragma once

#include <cstdint>

#include "code/cache/block.hpp"

extern "C" {
// Returns to the caller in translated code. The calling thread has a context, which GS points to.
void ovni_code_enter(void);
// Translated code jumps here; rax is the request, the program's is in the context.
void ovni_code_resolve(void);
// Indirect jumps come here if their target is not in the table.
void ovni_code_miss(void);
// Calls function(argument) in the caller's thread, and never in translated code.
void ovni_code_run_natively(void (*function)(void*), void* argument);
// The system calls this for signals of the program.
void ovni_code_handle_signal(int signal, void* info, void* context);

// Defined in C++: the place where the thread goes on.
uint64_t ovni_code_resolve_request(const ovni::code::Request* request);
struct ovni_code_handler {
    uint64_t address;  // of the program; 0: nothing is to be called
    uint64_t is_translated;
};
ovni_code_handler ovni_code_choose_handler(int signal, void* info, void* context);
}

namespace ovni::code {

// The part of these ways in which an address lies.
enum class Way : uint8_t {
    none,
    begin,       // the handler of a signal is looked for
    in,          // the resolver comes, or is at work
    before_out,  // the check for deferred signals can be done again
    out          // the registers of the program are in the context
};
inline uint64_t code_address(void (*function)()) noexcept {
    return reinterpret_cast<uint64_t>(function);
}

Way way_at(uint64_t address) noexcept;
uint64_t check_before_out() noexcept;

}  // namespace ovni::code
