// Recording on and off (gate.hpp), as the stream of a thread shows it. The gate holds the *wanted* state; the
// thread *shows* it on its next slow path: a stop closes the open states and begins a gap, a start ends the
// gap and opens the states again. Until both agree, and every change has been *seen*, the window's gate is
// shut, so that every emission takes the slow path.
//
// Owning thread only, without the stream's lock, unless a comment allows more.
#pragma once

#include <atomic>
#include <cstdint>

#include "ring/event.hpp"
#include "runtime/gate.hpp"
#include "runtime/ring_writer.hpp"
#include "runtime/thread_life.hpp"

namespace ovni::writer {

// A call may interrupt an emission: while its thread makes an event, nothing else is stored into the ring.
enum class Amid { nothing, an_emission };

class ShownRecording {
 public:
    // `stream` is the stream that this object and the other arguments belong to; `mutex` is its lock.
    ShownRecording(const Stream& stream, Mutex& mutex, OwnRing& own, ThreadLife& life, RingWriter& writer)
        : stream_(stream), mutex_(mutex), own_(own), life_(life), writer_(writer) {}

    // Takes over the state of recording from the gate. Call with a window, before the thread emits.
    void join();

    // Sets the state that this stream must reach. Called by the thread that changes recording, with the list
    // of streams locked.
    void want(Recording recording);
    Recording wanted() const { return wanted_.load(std::memory_order_acquire); }
    // False for an emission that give_up_emission() was called for.
    bool is_emitting() const;
    void give_up_emission();
    // The newest change for this stream alone. Under the lock of the gate's log.
    OwnChange own_change;

    // Any thread.
    Recording shown() const { return shown_.load(std::memory_order_relaxed); }
    bool is_recorded() const {
        return life_.runs() && shown() == Recording::on && wanted() == Recording::on && !has_unseen_changes();
    }
    // Publishes is_recorded() in the window. Call again when the process or the thread changes state.
    void show_running();

    // True if the event of an emission on the slow path may be stored. Shows changes first, unless the call
    // interrupts an emission.
    bool admits(const void* event, uint32_t size, Amid amid);
    // Implements ovni_private_pass(): decides about an emission that has begun; 0: the emission is over.
    int pass(const void* event, uint32_t size);
    // An event whose clock was read before the newest start gets the clock of the start, in `raised`.
    const void* after_start(const void* event, uint32_t size, Event& raised) const;
    void show_changes();
    // Opens the states of a thread that did not run when recording began again.
    void open_states_due();
    // Marks of this type are instants, not states, in all threads. Types below 128.
    static void set_punctual(int32_t mark_type);

    // Call with the stream's lock held.
    void begin_gap(uint64_t from, const char* reason);
    bool has_gap() const { return gap_ != GapState::never; }
    // Any thread: notes the changes when the stream ends. Open states are left to the gap, because the
    // follower cannot be called.
    void note_changes_at_end();

 private:
    // Events that are stored while a change is shown are those of the follower (libovni-mpi).
    enum class Showing : uint8_t { nothing, change, change_of_paused };
    class ShowingScope;
    enum class GapState : uint8_t {
        never,
        past,  // the gap has ended, or its note found no room
        noted  // noted, not ended yet
    };

    bool has_unseen_changes() const { return seen_.load(std::memory_order_relaxed) != gate().changes(); }
    void set_gate(const uint64_t* bits) { __atomic_store_n(&own_.window()->gate, bits, __ATOMIC_SEQ_CST); }
    void set_off(const uint64_t* bits) { __atomic_store_n(&own_.window()->off, bits, __ATOMIC_SEQ_CST); }
    void shut_gate() { set_gate(gate_shut), set_off(nullptr); }
    bool is_gate_open() const { return __atomic_load_n(&own_.window()->gate, __ATOMIC_RELAXED) != gate_shut; }
    bool is_off_settled() const { return __atomic_load_n(&own_.window()->off, __ATOMIC_RELAXED) != nullptr; }
    void settle_gate();
    bool is_always_admitted(const uint8_t* event, uint32_t size);
    bool is_followed(const StateRow& row, const uint8_t* event) const;
    void show(const RecordingChange& change);
    void show_stop(const RecordingChange& change);
    void show_start(const RecordingChange& change);
    void open_states_again(uint64_t clock);
    void call_follower(Recording recording, uint64_t clock);
    void end_gap(uint64_t to);

    const Stream& stream_;
    Mutex& mutex_;
    OwnRing& own_;
    ThreadLife& life_;
    RingWriter& writer_;
    std::atomic<uint64_t> seen_{0};  // changes of recording
    std::atomic<Recording> wanted_{Recording::on};
    std::atomic<Recording> shown_{Recording::on};
    Showing showing_ = Showing::nothing;
    GapState gap_ = GapState::never;
    const char* gap_reason_ = "";  // of the newest gap
    bool open_is_due_ = false;     // see open_states_due()
    uint64_t started_at_ = 0;      // the newest start that the stream shows
    struct {
        uintptr_t busy = 0;
        uint64_t published = 0;
    } left_emission_;  // see give_up_emission()
};

}  // namespace ovni::writer
