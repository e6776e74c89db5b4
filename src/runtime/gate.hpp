// Recording on and off. A change is made for all threads of the process, or for one, at one clock: no event
// of a gated kind that such a thread emits at a later clock gets into its stream when it is off. Threads show
// a change when they next come by, as if they had seen it at its clock: what is open is closed, a gap begins,
// and what is open when recording goes on is opened again.
//
// Never gated: the life cycle of threads, where they run, flushes, and definitions of what later events name.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/guard.hpp"

namespace ovni {

class Stream;

enum class Recording : uint8_t { off, on };

enum class ChangeOutcome : uint8_t {
    done,
    was_so,        // no effect
    in_transition  // another change is being made at this moment: ignored
};

// Who makes changes beyond MPI_Pcontrol: the region controller, which the writer knows by this table alone.
// Functions are called in slow ways of the library, in the thread concerned.
struct Controller {
    // Before the first stream of the process: reads what the user wants, and returns how recording begins.
    Recording (*begin)() noexcept;
    // The calling thread has got a stream; it is over (its destructors run).
    void (*thread_begins)() noexcept;
    void (*thread_ends)() noexcept;
    // In a fork's child, which has the calling thread only.
    void (*start_over_in_child)() noexcept;
    // The process ends.
    void (*end)() noexcept;
    // Chains start or stop recording, so that MPI_Pcontrol(0) does not.
    bool (*decides)() noexcept;
};

class Gate {
 public:
    constexpr Gate() = default;

    // Called by a constructor of the library.
    void set_controller(const Controller& controller) { controller_ = &controller; }
    const Controller* controller() const { return controller_; }

    // Any thread, at any time outside of signal handlers. All threads, or the one of that stream. Returns
    // when no thread that is concerned can store an event with a later clock; `at` is that clock.
    ChangeOutcome change(Recording to, Stream* only, uint64_t* at) noexcept;
    // How it is for threads that begin now.
    Recording state() const { return state_.load(std::memory_order_acquire); }

 private:
    const Controller* controller_ = nullptr;
    std::atomic<Recording> state_{Recording::on};
};

extern Immortal<Gate> the_gate;
inline Gate& gate() {
    return the_gate.value;
}

}  // namespace ovni
