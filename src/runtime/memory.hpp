// The memory of the library in the traced process: operator new and delete, apart from the program's malloc.
// So a handler that interrupted malloc() may come here, and a program without memory goes on: a reserve takes
// the place of the system's memory. When the reserve runs low, those who can do without memory do so
// (memory_is_short), and a drainer waits.
#pragma once

#include <cstddef>

namespace ovni::writer {

// True if only emissions of open streams may still use memory.
bool memory_is_short() noexcept;

// True if there is room to write all attributes of the program, which have no limit, and `more` bytes, which
// count from then on.
bool metadata_fit(size_t more = 0) noexcept;

// Call in a draining thread: it waits for memory, which the program's threads may need, from then on.
void wait_for_memory() noexcept;

// For a fork, and for its child, whose other threads do not exist.
void lock_memory() noexcept;
void unlock_memory() noexcept;
bool memory_comes_free() noexcept;  // false if a thread that does not go on keeps the lock
void forget_memory_lock() noexcept;

// This thread never goes on with what it was doing here.
void leave_memory() noexcept;

}  // namespace ovni::writer
