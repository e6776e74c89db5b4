// SIGTRAP belongs to our sites, and SIGILL in some programs. The program still has its own action for them,
// which gets all traps that are not of sites, and masks with these signals in them take effect without: the
// system ends a program that comes to a site while it blocks the signal. Masks that reach the system in
// another way than by the C library are not seen.
#pragma once

#include <signal.h>

#include <cstdint>

namespace ovni::code {

using TrapHandler = void (*)(int signal, siginfo_t* info, void* context);

// For SIGTRAP or SIGILL. Returns false if the system refuses.
bool take_over(int signal, TrapHandler handler) noexcept;

// Programs have no use for this signal. It stands for SIGTRAP in all masks that the system knows: a SIGTRAP
// that a process sends while the program blocks it waits under this number. The handler gets it when it is
// let in.
inline constexpr int held_trap = SIGSTKFLT;
void take_over_held_traps(TrapHandler handler) noexcept;

// From here on the system calls `entry` for all signals that the program sets a handler for; it finds the
// handler with handler_of_program(), or 0 if there is none.
void take_over_handlers(TrapHandler entry) noexcept;
uintptr_t handler_of_program(int signal) noexcept;

// Call in the handler: the program's own action.
void pass_trap_to_program(int signal, siginfo_t* info, void* context) noexcept;

}  // namespace ovni::code
