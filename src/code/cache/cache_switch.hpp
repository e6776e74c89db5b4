// The switch between translated code and the resolver, in assembly language. The resolver runs on its own
// stack, while all registers of the program are saved in the thread's context.
#pragma once

#include <cstdint>

#include "code/cache/block.hpp"

extern "C" {
// Returns to the caller in translated code. Call with GS pointing to the thread's context.
void ovni_code_enter(void);
// Translated code jumps here; rax is the request, the program's rax is in the context.
void ovni_code_resolve(void);
// Indirect jumps come here if their target is not in the table.
void ovni_code_miss(void);
// Calls function(argument) in the caller's thread, outside of translated code.
void ovni_code_run_natively(void (*function)(void*), void* argument);
// The system calls this for the program's signals.
void ovni_code_handle_signal(int signal, void* info, void* context);

// Defined in C++: returns where the thread continues.
uint64_t ovni_code_resolve_request(const ovni::code::Request* request);
struct ovni_code_handler {
    uint64_t address;  // of the program's handler; 0: nothing to call
    uint64_t is_translated;
};
ovni_code_handler ovni_code_choose_handler(int signal, void* info, void* context);
}

namespace ovni::code {

// The part of the switch that contains an address.
enum class Way : uint8_t {
    none,
    begin,       // looking for the handler of a signal
    in,          // entering or inside the resolver
    before_out,  // leaving; the check for deferred signals can be repeated
    out          // leaving; the program's registers are in the context
};
inline uint64_t code_address(void (*function)()) noexcept {
    return reinterpret_cast<uint64_t>(function);
}

Way way_at(uint64_t address) noexcept;
uint64_t check_before_out() noexcept;

}  // namespace ovni::code
