// Records what the calling thread waits for into its stream. Nothing here changes errno.
//
// A wait is begun by begin_wait() and ended by end_wait(), which also runs if the thread is cancelled. What
// is left in another way, by longjmp() or asynchronous cancellation, is closed when the thread next records
// something, or ends: a state is over if a frame above that of its wrapper records.
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

// True unless waits are not recorded at all.
inline bool records_waits() noexcept {
    return mode.load(std::memory_order_relaxed) != Mode::off;
}

struct Wait {
    State state;
    const void* object;   // its address; of a thread, object_of()
    const void* address;  // of a thread, its handle
    const void* caller;   // an address in its code
    uintptr_t frame;      // of the wrapper
    uint32_t place = none;
    static constexpr uint32_t none = UINT32_MAX;
};

// False if the wait is not recorded.
bool begin_wait(Wait& wait) noexcept;
constexpr int not_returned = INT_MIN;  // the wait was left without a result
void end_wait(const Wait& wait, int error) noexcept;

// Something that takes no time; `event` has the arguments object and error.
void record_instant(EventCode event, const Wait& about, int error) noexcept;

// `event` has the argument thread. Threads that are created, or create others, get their stream here: a
// thread that waits may hold locks of its allocator.
enum class Allocating : uint8_t { maybe, no };  // may the thread be within malloc()?
void record_of_thread(EventCode event, uint64_t thread, const void* caller,
                      Allocating allocating = Allocating::maybe) noexcept;

}  // namespace ovni::threads
