// The stream of one thread, on the side of the traced process: a ring that only its thread fills and a
// drainer empties, and what is known of the stream beside its events.
//
// The thread stores events through the window (ovni/emit.hpp) and comes here only when the ring is full or
// wraps, when an event changes its life cycle, or in a signal handler that interrupted an emission. Each
// event is published when it is complete: what is published gets into the stream, whatever becomes of the
// process.
//
// A stream of ours begins in its ring: nothing is on disk before it is placed, and the first 28 bytes are an
// OHx that changes until it is known who the process is. A program that tells its own life cycle later takes
// the stream over.
//
// Where all threads share one buffer (OVNI_BUFFER_MODE), the window has no room, so every emission comes
// here, into emit_shared() at best, and goes to the shared buffer; the drainer moves it into the ring and
// publishes it there. The head of the window then only counts.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "ovni/emit.hpp"
#include "ring/event.hpp"
#include "ring/gaps.hpp"
#include "ring/shared_buffer.hpp"
#include "ring/stack_range.hpp"
#include "runtime/gate.hpp"
#include "runtime/guard.hpp"
#include "runtime/host.hpp"
#include "runtime/metadata.hpp"
#include "runtime/open_states.hpp"

namespace ovni::writer {

enum class Owner { program, ours };

// What a call has interrupted: while its thread makes an event, nothing else is stored into the ring.
enum class Amid { nothing, an_emission };

class Stream {
 public:
    // `usual_signals`: that the thread has blocked.
    Stream(pid_t tid, Owner owner, const sigset_t& usual_signals);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // Whose emission has begun there.
    static Stream* of(ovni_private_window* window);

    // In a fork's child, whose own stream this is not.
    void let_shared_emission_end();

    // By the owning thread.
    ovni_private_window* window() { return window_; }
    void emit(const void* event, size_t size, const void* data = nullptr, size_t data_size = 0);
    // Without a lock or a system call, into the shared buffer. False where emit() has to do it.
    bool emit_shared(const void* event, size_t size, const void* data = nullptr,
                     size_t data_size = 0) noexcept;
    bool is_shared() const { return producer_ != nullptr; }
    // Whether the emission that seems to be interrupted has been left behind, seen from that frame.
    bool was_left(uintptr_t frame) noexcept;
    // In a handler that interrupted an emission of this thread, or another slow way of it.
    void emit_nested(const void* event, size_t size) noexcept;
    void flush(Amid amid);
    // ovni_thread_init: makes the file at once; takes a stream of ours over, also one that is closed.
    void open_for_program(pid_t tid);
    void note_gap(const Gap& gap, Amid amid);
    void move_to_cpu(int phyid, Amid amid);
    // In a fork's child: the stream of this thread in the parent.
    void inherit(const Stream& parent);
    // Events of the thread may be recorded, by its life cycle; then definitions are.
    bool runs() const { return life_ == Life::running && !is_closed(); }
    // By the gate, too.
    bool is_recorded() const {
        return runs() && shown() == Recording::on && wanted() == Recording::on && !has_unseen_changes();
    }
    // Says so in the window; again, where the state of the process has changed.
    void show_running();
    // May an event be stored, of an emission that comes the slow way or one that has begun? Changes of
    // recording that the stream does not show yet are shown first, unless the call interrupts an emission.
    bool admits(const void* event, uint32_t size, Amid amid);
    int pass(const void* event, uint32_t size);
    void show_changes();
    // An event whose clock was read while recording was off, and that comes after its start, belongs to that.
    const void* after_start(const void* event, uint32_t size, Event& raised) const;
    void set_punctual(int32_t mark_type) { punctual_[mark_type / 64] |= uint64_t{1} << mark_type % 64; }
    // The thread runs again, so what could not be shown before is shown.
    void open_states_due();
    bool is_ours() const { return ours_; }

    // By who changes recording, with the list of streams: how it is to be, from now on.
    void join_gate();
    void want(Recording recording);
    Recording wanted() const { return wanted_.load(std::memory_order_acquire); }
    // Not one that was waited for in vain before.
    bool is_emitting() const;
    void give_up_emission();
    // The newest change for this stream alone, under the lock of the gate.
    OwnChange own_change;

    // Any thread.
    bool is_closed() const { return closed_.load(std::memory_order_acquire); }
    bool has_memory() const { return ring_.is_mapped(); }
    // What is published now is to be written; how much of it is not yet.
    void ask_for_published();
    uint64_t asked_and_not_written();
    // The identity of the process is known: a stream of ours that is not on disk yet begins accordingly.
    void follow_identity();
    void close(const StreamEnd* end);
    // The same for a stream of ours only.
    void close_ours(const StreamEnd* end);
    // The process ends, and with it the stream. Where this process drains, what threads emit now waits for
    // the end, but what its last thread emits is lost. False where another thread does not let go of the
    // stream.
    bool end_with_process(int code);
    // The same where this thread, or one that never goes on, holds locks already.
    void tell_exit(int code) noexcept;

    // The metadata under the stream's lock.
    template <class Use>
    auto with_metadata(Use use) {
        SlowPath slow;
        Lock lock(mutex_);
        struct Save {
            Stream& stream;
            ~Save() { stream.save_note(); }
        } save{*this};
        return use(metadata_);
    }
    void write_metadata();
    // After close(), where a drainer of this process has still to write the stream.
    void wait_until_written();

 private:
    // The C API stores a whole ovni_ev whatever its size.
    static constexpr uint64_t slack = OVNI_FORMAT_EVENT_MAX;
    static constexpr int most_waits = 100;  // of 20 ms, without any progress
    static constexpr uint64_t between_attempts = 10'000'000'000;
    static constexpr uint32_t our_begin_bytes = OVNI_FORMAT_EVENT_MAX;  // OHx with its three arguments

    enum class Life { unborn, running, paused, dead };
    bool lives() const { return life_ == Life::running || life_ == Life::paused; }

    // Events for which there was no room.
    struct Discarded {
        uint64_t events = 0, from = 0, to = 0;
    };

    // What a fork's child finds empty.
    struct WipedPage {
        ovni_private_window window;
        SharedProducer producer;
        OpenStates states;
        Stream* owner;
    };

    bool get_ring();
    uint64_t interrupted_at() const noexcept;
    bool has_nested_room(size_t size) const noexcept;
    bool may_be_in_handler() const noexcept;
    void lose_nested(NestedRing& ring, uint64_t clock) noexcept;
    void share();
    using Outcome = SharedProducer::Outcome;
    using NoRoom = SharedProducer::NoRoom;
    Outcome put_shared(const void* event, size_t size, const void* data, size_t data_size, NoRoom no_room);
    void append_shared(const void* event, size_t size, const void* data, size_t data_size);
    void append_in_parts(const void* event, size_t size, const void* data, size_t data_size);
    template <class Put>
    bool put_patiently(Put put);
    template <class Put>
    Outcome put_after_waiting(Put put);
    bool put_note(const Gap& gap);
    void end_shared();
    uint64_t shared_reserved() const;
    void open_ours();
    RingHeader& header() const { return ring_.header(); }
    uint64_t head() const { return window_->head; }
    void set_limit(uint64_t limit) { __atomic_store_n(&window_->limit, limit, __ATOMIC_RELAXED); }
    void refresh_limit();
    bool holds_events() const;
    bool holds_events(uint64_t position) const;
    bool has_room(uint64_t bytes) const;
    bool make_room(uint64_t bytes, bool may_be_lost);
    bool wait_for_room(uint64_t bytes);
    void store(const void* bytes, size_t size);
    void publish();
    bool add_note(const Gap& gap, uint64_t position);
    // False where there is no room for so many notes, this one among them.
    bool add_note_patiently(const Gap& gap, uint32_t notes);
    bool has_room_for_notes(uint32_t notes) const;
    bool may_notes_be_taken() const;

    bool has_unseen_changes() const { return seen_.load(std::memory_order_relaxed) != gate().changes(); }
    Recording shown() const { return shown_.load(std::memory_order_relaxed); }
    class Showing;
    void show(const RecordingChange& change);
    void show_stop(const RecordingChange& change);
    void show_start(const RecordingChange& change);
    void open_states_again(uint64_t clock);
    void call_follower(Recording recording, uint64_t clock);
    void begin_gap(uint64_t from, const char* reason);
    void end_gap(uint64_t to);
    void note_changes_at_end();
    void set_gate(const uint64_t* bits) { __atomic_store_n(&window_->gate, bits, __ATOMIC_SEQ_CST); }
    void set_off(const uint64_t* bits) { __atomic_store_n(&window_->off, bits, __ATOMIC_SEQ_CST); }
    void settle_gate();
    bool is_always_admitted(const uint8_t* event, uint32_t size);
    bool is_followed(const StateRow& row, const uint8_t* event) const;
    bool is_punctual(int32_t mark_type) const {
        return mark_type >= 0 && mark_type < 128 && (punctual_[mark_type / 64] >> mark_type % 64 & 1) != 0;
    }
    void discard(const void* event);
    bool settle_discarded();
    void settle_postponed();
    void wait_until_drained(uint64_t position);

    void append(const void* event, size_t size, const void* data = nullptr, size_t data_size = 0);
    void append_flush_pair();
    void wait_for_end();
    void follow_life_cycle(const uint8_t* event);
    void drop_our_life();
    void write_our_begin(const Facts& facts);
    void end_our_life(uint64_t clock);
    void set_life(Life life);
    void set_closed(bool closed);
    void set_our_life(bool is_ours);
    const void* raise(const void* event, size_t size, Event& raised);
    void place(const Facts& facts);
    void place_at_last();
    void make_file(const Facts& facts);
    void close_locked(const StreamEnd* end);
    void end_with_process_locked(int code);
    void write_metadata_locked();
    void save_note();
    std::string directory() const { return roots_.writing() + place_; }

    ovni_private_window* window_ = nullptr;  // in a WipedPage
    SharedProducer* producer_ = nullptr;     // there, too; null where the thread stores into its ring
    OpenStates* states_ = nullptr;           // there, too
    std::atomic<uint64_t> seen_{0};          // changes of recording
    std::atomic<Recording> wanted_{Recording::on};
    std::atomic<Recording> shown_{Recording::on};
    uint64_t started_at_ = 0;      // the newest start that the stream shows
    const char* gap_reason_ = "";  // of the gap that the stream shows
    bool is_showing_ = false;      // a change: what the follower emits gets through
    bool is_mute_ = false;         // but where the thread does not run, and the gap says it all
    bool open_is_due_ = false;     // when the thread runs again
    bool has_gap_ = false;
    bool is_gap_noted_ = false;  // one that is still to be ended
    uint64_t next_note_attempt_ = 0;
    struct {
        uintptr_t busy = 0;
        uint64_t published = 0;
    } left_emission_;                 // one that does not end
    uint64_t punctual_[2] = {};       // mark types, below 100, whose values are instants
    uint64_t place_at_ = UINT64_MAX;  // so many bytes cannot stay in the ring any longer
    RingLease ring_;
    Mutex mutex_;
    bool ours_;
    const bool born_ours_;
    std::atomic<bool> closed_{false};
    std::atomic<bool> ends_{false};  // with the process, now
    pid_t exiting_thread_ = 0;
    Life life_;
    bool our_life_ = false;   // OHx is ours and OHe is still to come
    bool in_region_ = false;  // of unsorted events
    bool flush_pair_due_ = false;
    uint64_t asked_ = 0;  // position
    uint32_t nested_depth_ = 0;
    const StackRange stack_;
    uint32_t without_nested_room_ = 0;
    const sigset_t usual_signals_;  // that are blocked where no handler runs
    Discarded discarded_;
    std::optional<Gap> postponed_;  // to be noted when the present emission is over
    uint64_t next_attempt_ = 0;     // to get room, after one in vain
    uint64_t flush_begin_ = 0, flush_end_ = 0;
    uint64_t opening_clock_ = 0;
    int opening_phyid_ = -1;
    std::atomic<int> phyid_{-1};  // where the thread is by its events; -1: the virtual CPU
    uint64_t lost_ = 0;           // not by the drainer
    pid_t tid_;
    Roots roots_;
    std::string place_;  // below the roots; empty: not known yet
    Metadata metadata_;
};

// ovni_clock_now(), and what it reads: null where there is no run directory yet.
uint64_t clock_now();

}  // namespace ovni::writer
