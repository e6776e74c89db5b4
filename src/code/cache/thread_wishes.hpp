// Threads that run the program's own code are asked to go on in translated code: by SIGTRAP, which is ours.
#pragma once

namespace ovni::code {

// The signal carries this.
void* mark_of_wish() noexcept;

// Call once in each process before ask_other_threads(): makes the thread that watches those that wait.
void watch_waiting_threads() noexcept;

// Asks all threads but the calling one. A thread that waits in the system is asked when it runs again, as
// the signal would end its wait.
void ask_other_threads() noexcept;

}  // namespace ovni::code
