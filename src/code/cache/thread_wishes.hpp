// Requests threads that run the program's own code to enter translated code, by SIGTRAP, which the library
// handles.
#pragma once

namespace ovni::code {

// The value that the signal carries.
void* mark_of_wish() noexcept;

// Call once in each process before ask_other_threads(): makes the thread that watches waiting threads.
void watch_waiting_threads() noexcept;

// Signals all threads except the calling one. A thread that waits in the system is signalled when it runs
// again, because the signal would end its wait.
void ask_other_threads() noexcept;

}  // namespace ovni::code
