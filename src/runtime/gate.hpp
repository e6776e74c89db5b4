// Recording on and off. A change applies to all threads of the process, or to one, at one clock: while
// recording is off, no gated event with a later clock gets into a stream. A thread shows a change on its next
// slow path, with the clock of the change (shown_recording.hpp).
//
// A stop shuts the gates, makes all threads pass a fence (membarrier), waits a limited time until no emission
// is in progress, and takes its clock. A thread that emits meanwhile stops at once. A start takes its clock
// and leaves the gates shut; each thread opens its gate after it has shown the start.
//
// The window's `gate` is a set of event codes that the library looks at before they are stored. It is empty
// if nothing can switch recording, holds the events of states if something can, and all events while
// recording is off.
//
// Never gated: the life cycle of threads, where they run, flushes, and definitions that later events need.
#pragma once

#include <atomic>
#include <cstdint>

#include "ovni/private.h"
#include "runtime/guard.hpp"

namespace ovni::writer {

class Stream;

enum class Recording : uint8_t { off, on };

// The states of a thread that its stream follows. libovni-mpi itself keeps the states that it emits.
enum class Keeper : uint8_t { all, without_mpi };

enum class ChangeOutcome : uint8_t {
    done,
    was_so,        // no effect
    in_transition  // ignored: another change is being made at this moment
};

// The region controller, which changes recording besides MPI_Pcontrol. The writer knows it only by this
// table, and calls the functions on slow paths, in the thread concerned.
struct Controller {
    // Called before the first stream of the process: reads the settings, returns whether recording begins on
    // or off.
    Recording (*begin)() noexcept;
    // Called when the calling thread has got a stream; and when its stream ends, maybe in the thread's
    // destructors.
    void (*thread_begins)() noexcept;
    void (*thread_ends)() noexcept;
    // Called in a fork's child, which has only the calling thread.
    void (*start_over_in_child)() noexcept;
    // Called in the parent, and in the child after start_over_in_child(), by the thread that holds all locks.
    // release() gives them back, so that events take effect again.
    void (*fork_ends)(void (*release)() noexcept) noexcept;
    // Called when the process ends.
    void (*end)() noexcept;
    // True if chains start or stop recording. Then MPI_Pcontrol(0) does not.
    bool (*decides)() noexcept;
};

struct RecordingChange {
    Recording to;
    uint64_t clock;
    const char* reason;       // of the gap that a stop begins
    bool has_missed = false;  // the log has dropped changes before this one
};

// A change of one stream alone, kept next to the log of all changes.
struct OwnChange {
    uint64_t number = 0;
    RecordingChange change{};
};

inline constexpr const char* default_gap_reason = "region";

class Gate {
 public:
    constexpr Gate() = default;

    // Called by a constructor of the library.
    void set_controller(const Controller& controller) { controller_ = &controller; }
    const Controller* controller() const { return controller_; }
    void set_follower(ovni_private_follower* wanted);
    ovni_private_follower* follower() const { return follower_.load(std::memory_order_acquire); }

    // Call before a stream is opened: calls Controller::begin() once.
    void begin() noexcept;
    // Changes recording for all threads, or for the thread of `only`, which must live. Returns when none of
    // these threads can store an event with a later clock than `at`. Any thread, outside of handlers, without
    // locks held.
    ChangeOutcome change(Recording to, Stream* only, uint64_t* at,
                         const char* reason = default_gap_reason) noexcept;
    // As change(), but waits a limited time for a change in progress instead of being ignored.
    ChangeOutcome change_after_others(Recording to, Stream* only, uint64_t* at,
                                      const char* reason = default_gap_reason) noexcept;
    // The state for threads that begin now.
    Recording state() const { return state_.load(std::memory_order_acquire); }
    // The reason of the last stop.
    const char* reason() const { return reason_.load(std::memory_order_acquire); }

    // True if states are followed, so that they can be closed and opened again.
    bool is_tracking() const { return is_tracking_.load(std::memory_order_acquire); }
    Keeper keeper() const { return follower() ? Keeper::without_mpi : Keeper::all; }

    // For streams. changes(): the number of changes so far. join(): the state after the last change; sets
    // `seen` to its number. next(): the next change of this stream; sets `seen` to its number; false if there
    // is none.
    uint64_t changes() const { return count_.load(std::memory_order_acquire); }
    Recording join(std::atomic<uint64_t>& seen) noexcept;
    bool next(const Stream& stream, std::atomic<uint64_t>& seen, RecordingChange& change) noexcept;

    void start_over_in_child() noexcept;

 private:
    static constexpr uint64_t kept = 256;  // newest changes

    struct Logged {
        RecordingChange change{};
        const Stream* only = nullptr;
    };

    void track() noexcept;
    bool is_so(Recording wanted, const Stream* only) const noexcept;
    void log(const RecordingChange& change, Stream* only) noexcept;

    const Controller* controller_ = nullptr;
    std::atomic<ovni_private_follower*> follower_{nullptr};
    std::atomic<bool> has_begun_{false}, is_tracking_{false}, in_transition_{false};
    std::atomic<Recording> state_{Recording::on};
    std::atomic<const char*> reason_{default_gap_reason};
    std::atomic<uint64_t> count_{0};
    Mutex beginning_, logging_;
    // Call with the lock of the log held.
    Recording logged_ = Recording::on;
    Logged log_[kept];
};

extern Immortal<Gate> the_gate;
inline Gate& gate() {
    return the_gate.value;
}

}  // namespace ovni::writer
