// The recorder's data of the calling thread: the states that its stream shows as open, and the objects that
// its stream has defined. It is mapped, not allocated, when the thread first waits, because the program's
// allocator may be the caller.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::threads {

enum class State : uint8_t { mutex, read, write, spin, barrier, condition, join, semaphore, once };

// A state that the stream shows as open, from the wrapper with this frame.
struct OpenState {
    uintptr_t frame;
    State state;
    uint32_t object;
    int32_t holder;
};

struct OwnThread {
    static constexpr size_t deepest = 32, remembered = 1024;
    uintptr_t inside;  // the frame of the recorder while it runs, else 0
    uint32_t depth;
    bool has_required;
    uint32_t fork_depth;  // of the process when this was filled
    OpenState open[deepest];
    uint32_t defined[remembered];  // the number defined last, by its low bits
    uint64_t described[1024];      // a bit for each number whose code is in the stream

    // True once for each number below 65536.
    bool describes(uint32_t number) noexcept {
        constexpr uint32_t bits = 64;
        const uint64_t bit = uint64_t{1} << number % bits;
        uint64_t& word = described[number / bits % 1024];
        const bool is_new = (word & bit) == 0;
        word |= bit;
        return is_new;
    }
    // Clears all in a fork's child, which has a new stream. `now`: fork depth of this process.
    void follow_fork(uint32_t now) noexcept;
};

// Null if the thread has none. Not a thread-local variable, because programs have little room for these.
OwnThread* own_thread() noexcept;

// Makes it if there is none. Null if memory runs out, and before the library is ready.
OwnThread* own_thread_made() noexcept;

// Called at the end of each thread that has one.
void thread_ends(OwnThread& thread) noexcept;

}  // namespace ovni::threads
