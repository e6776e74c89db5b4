// Records the waits of the calling thread in its stream. Nothing here changes errno.
//
// A wait begins with begin_wait() and ends with end_wait(), which also runs if the thread is cancelled. A
// wait that is left by longjmp() or asynchronous cancellation is closed when the thread next records
// something, or ends: a state has ended if a frame above its wrapper's frame records.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include "ovni/event_code.hpp"
#include "threads/own_thread.hpp"

namespace ovni::threads {

enum class Mode : uint8_t { off, contended, all };
// Off until the library is ready.
inline constinit std::atomic<Mode> mode{Mode::off};

inline bool records_all() noexcept {
    return mode.load(std::memory_order_relaxed) == Mode::all;
}

// True if waits are recorded.
inline bool records_waits() noexcept {
    return mode.load(std::memory_order_relaxed) != Mode::off;
}

struct Wait {
    State state;
    const void* object;   // address of the object; for a thread, object_of()
    const void* address;  // for a thread, its handle
    const void* caller;   // an address in the calling code
    uintptr_t frame;      // of the wrapper
    uint32_t place = none;
    static constexpr uint32_t none = UINT32_MAX;
};

// False if the wait is not recorded.
bool begin_wait(Wait& wait) noexcept;
constexpr int not_returned = INT_MIN;  // the wait was left without a result
void end_wait(const Wait& wait, int error) noexcept;

// Records an operation without duration. `event` has the arguments object and error.
void record_instant(EventCode event, const Wait& about, int error) noexcept;

// `event` has the argument thread. Threads that are created, or create others, get their stream here, because
// later, in a wait, they may hold locks of the allocator.
enum class Allocating : uint8_t { maybe, no };  // whether the thread may be within malloc()
void record_of_thread(EventCode event, uint64_t thread, const void* caller,
                      Allocating allocating = Allocating::maybe) noexcept;

}  // namespace ovni::threads
