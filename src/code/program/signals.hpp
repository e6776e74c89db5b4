// The library handles SIGTRAP for its sites, and in some programs SIGILL. The program keeps its own action
// for them, which gets all traps that are not of sites. Signal masks take effect without these signals,
// because the system ends a program that hits a site while it blocks the signal. Masks that are not set
// through the C library are not seen.
#pragma once

#include <signal.h>

#include <cstdint>

namespace ovni::code {

using TrapHandler = void (*)(int signal, siginfo_t* info, void* context);

// For SIGTRAP or SIGILL. Returns false if the system refuses.
bool take_over(int signal, TrapHandler handler) noexcept;

// A signal that programs do not use. It replaces SIGTRAP in all masks given to the system: a SIGTRAP that a
// process sends while the program blocks it is held as this signal, and handled when it is unblocked.
inline constexpr int held_trap = SIGSTKFLT;
void take_over_held_traps(TrapHandler handler) noexcept;

// From here on the system calls `entry` for all signals for which the program sets a handler. `entry` gets
// that handler from handler_of_program(); 0 if there is none.
void take_over_handlers(TrapHandler entry) noexcept;
uintptr_t handler_of_program(int signal) noexcept;

// Call in the handler: performs the program's own action.
void pass_trap_to_program(int signal, siginfo_t* info, void* context) noexcept;

}  // namespace ovni::code
