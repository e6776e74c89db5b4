// The memory of the library in the traced process, apart from the program's: operator new and delete, hidden
// as all of it. A handler that interrupted malloc() may so come here, and a program that is out of memory
// goes on: what cannot be had from the system comes from a reserve, and where that runs low, whoever can do
// without memory does (memory_is_short), and a drainer waits for it.
#pragma once

#include <cstddef>

namespace ovni::writer {

// What needs memory and is no emission of an open stream is left undone.
bool memory_is_short() noexcept;

// Whether there is room to write down what the program has told so far, which has no limit, and so many bytes
// more, which count from then on.
bool metadata_fit(size_t more = 0) noexcept;

// The calling thread drains: it waits for memory rather than use up what the program's threads may need.
void wait_for_memory() noexcept;

// Around a fork, and in a copy of the process whose other threads are not there.
void lock_memory() noexcept;
void unlock_memory() noexcept;
bool memory_comes_free() noexcept;  // false where a thread keeps the lock that does not go on
void forget_memory_lock() noexcept;

// What this thread was in the middle of here is never gone on with.
void leave_memory() noexcept;

}  // namespace ovni::writer
