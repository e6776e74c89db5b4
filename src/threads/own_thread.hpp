// The recorder's memory of the calling thread: the states that its stream shows as open, and the objects
// that its stream has defined. It is mapped when the thread first waits, as the program's allocator may be
// the caller.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::threads {

enum class State : uint8_t { mutex, read, write, spin, barrier, condition, join, semaphore, once };

// A state that the stream shows as open: that of the wrapper with this frame.
struct OpenState {
    uintptr_t frame;
    State state;
    uint32_t object;
    int32_t holder;
};

struct OwnThread {
    static constexpr size_t deepest = 32, remembered = 1024;
    uintptr_t inside;  // the frame of the recorder that is at work, else 0
    uint32_t depth;
    bool has_required;
    uint32_t fork_depth;  // that of the process when this was filled
    OpenState open[deepest];
    uint32_t defined[remembered];  // the number that was defined last, by the number's low bits

    // Forgets all in a fork's child, whose stream is a new one. `now`: of this process.
    void follow_fork(uint32_t now) noexcept;
};

// Null if the thread has none. Not a thread-local variable: programs have little room for these.
OwnThread* own_thread() noexcept;

// Makes it if need be. Null without memory, and before the library is ready.
OwnThread* own_thread_made() noexcept;

// Called at the end of each thread that has one.
void thread_ends(OwnThread& thread) noexcept;

}  // namespace ovni::threads
