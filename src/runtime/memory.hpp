// The memory of the library in the traced process: operator new and delete, separate from the program's
// malloc. So a handler that interrupted malloc() may allocate here. If the system has no memory left, a
// reserve is used, and the program goes on. When the reserve runs low, functions that can do without memory
// do so (memory_is_short), and a drainer waits.
#pragma once

#include <cstddef>

namespace ovni::writer {

// True if only emissions of open streams may still use memory.
bool memory_is_short() noexcept;

// True if there is memory to write all attributes of the program, whose size is unlimited, and `more` bytes.
// If true, `more` is added to that size.
bool metadata_fit(size_t more = 0) noexcept;

// Call in a draining thread: from then on it waits for memory instead of taking the reserve, which the
// program's threads may need.
void wait_for_memory() noexcept;

// Call before a fork; the next functions follow in the parent, and in the child, which has no other threads.
void lock_memory() noexcept;
void unlock_memory() noexcept;
bool memory_comes_free() noexcept;  // false if a thread that never goes on holds the lock
void forget_memory_lock() noexcept;

// Call if this thread never continues an operation that it has begun here.
void leave_memory() noexcept;

}  // namespace ovni::writer
