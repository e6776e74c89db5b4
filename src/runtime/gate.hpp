// Recording on and off. A change is made for all threads of the process, or for one, at one clock: no event
// of a gated kind that such a thread emits at a later clock gets into its stream when it is off. Threads show
// a change when they next come by, as if they had seen it at its clock: what is open is closed, a gap begins,
// and what is open when recording goes on is opened again.
//
// Never gated: the life cycle of threads, where they run, flushes, and definitions of what later events name.
#pragma once

#include <atomic>
#include <cstdint>

#include "ovni/private.h"
#include "runtime/guard.hpp"

namespace ovni::writer {

class Stream;

enum class Recording : uint8_t { off, on };

// What of the states of a thread its stream follows: libovni-mpi keeps those that it emits itself.
enum class Keeper : uint8_t { all, without_mpi };

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
    // The calling thread has got a stream; that is over, and maybe the thread (its destructors run).
    void (*thread_begins)() noexcept;
    void (*thread_ends)() noexcept;
    // In a fork's child, which has the calling thread only.
    void (*start_over_in_child)() noexcept;
    // The process ends.
    void (*end)() noexcept;
    // Chains start or stop recording, so that MPI_Pcontrol(0) does not.
    bool (*decides)() noexcept;
};

struct RecordingChange {
    Recording to;
    uint64_t clock;
    const char* reason;       // of the gap that a stop begins
    bool has_missed = false;  // others before it are forgotten
};

// Of one stream alone, kept beside the log of all changes.
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

    // Before a stream is opened: asks the controller, once.
    void begin() noexcept;
    // Any thread, at any time outside of signal handlers and without locks. All threads, or the one of that
    // stream, which must live. Returns when no thread that is concerned can store an event with a later
    // clock; `at` is that clock.
    ChangeOutcome change(Recording to, Stream* only, uint64_t* at,
                         const char* reason = default_gap_reason) noexcept;
    // The same for one that may not be lost: it waits for others, though not for ever.
    ChangeOutcome change_after_others(Recording to, Stream* only, uint64_t* at,
                                      const char* reason = default_gap_reason) noexcept;
    // How it is for threads that begin now.
    Recording state() const { return state_.load(std::memory_order_acquire); }
    // Of the last stop.
    const char* reason() const { return reason_.load(std::memory_order_acquire); }

    // Are states followed, so that they can be closed and opened again?
    bool is_tracking() const { return is_tracking_.load(std::memory_order_acquire); }
    Keeper keeper() const { return follower() ? Keeper::without_mpi : Keeper::all; }

    // For streams: how many changes there were; how it was at the last one, whose number is `seen` then; the
    // next change of this stream, which is number `seen` then.
    uint64_t changes() const { return count_.load(std::memory_order_acquire); }
    Recording join(std::atomic<uint64_t>& seen) noexcept;
    bool next(const Stream& stream, std::atomic<uint64_t>& seen, RecordingChange& change) noexcept;

    void start_over_in_child() noexcept;

 private:
    static constexpr uint64_t kept = 256;  // of the newest changes

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
    // Under the lock of the log.
    Recording logged_ = Recording::on;
    Logged log_[kept];
};

extern Immortal<Gate> the_gate;
inline Gate& gate() {
    return the_gate.value;
}

}  // namespace ovni::writer
