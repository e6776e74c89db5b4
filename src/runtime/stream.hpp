// The stream of one thread in the traced process: its owner, how it opens and ends, and in which order its
// members act. The members handle the rest: the ring and its window (OwnRing), the life of the thread
// (ThreadLife), the place and the metadata of the stream (Place), three ways of emission (RingWriter,
// SharedEmission, NestedEmission), and what is shown of recording on and off (ShownRecording).
//
// The thread stores events through the window (ovni/emit.hpp) and comes here on the slow path only: the ring
// is full or wraps, an event changes the life cycle, a handler interrupted an emission, recording changed, or
// threads share a buffer. A published event reaches the stream, even if the process dies.
//
// A stream that the library opened by itself (Owner::ours) is on disk only after it is placed. If the program
// begins to record its own life cycle, it takes the stream over.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ring/event.hpp"
#include "runtime/guard.hpp"
#include "runtime/nested_emission.hpp"
#include "runtime/own_ring.hpp"
#include "runtime/place.hpp"
#include "runtime/ring_writer.hpp"
#include "runtime/shared_emission.hpp"
#include "runtime/shown_recording.hpp"
#include "runtime/thread_life.hpp"

namespace ovni::writer {

// Whether a thread that emits nothing gets a row in the trace; unless_exec: only if the process does not
// exec.
enum class Row : uint8_t { none, always, unless_exec };

class Stream {
 public:
    // `usual_signals`: the signals that the thread has blocked outside of handlers. `since`:
    // monotonic_clock() when the thread began; 0: now.
    Stream(pid_t tid, Owner owner, const sigset_t& usual_signals, Row row = Row::none, uint64_t since = 0);
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // The stream of the window; null for the stream of a fork's parent.
    static Stream* of(ovni_private_window* window);

    // Owning thread only.
    ovni_private_window* window() { return own_.window(); }
    ShownRecording& recording() { return recording_; }
    const ShownRecording& recording() const { return recording_; }
    void emit(const void* event, size_t size, const void* data = nullptr, size_t data_size = 0);
    // Emits into the shared buffer, without a lock or a system call. False if emit() has to do it.
    bool emit_shared(const void* event, size_t size, const void* data = nullptr,
                     size_t data_size = 0) noexcept;
    bool is_shared() const { return shared_.is_used(); }
    // True if an emission into the shared buffer is in progress, or was abandoned.
    bool is_emitting_shared() const { return shared_.is_emitting(); }
    // Emits in a handler that interrupted an emission of this thread, or another slow path.
    void emit_nested(const void* event, size_t size) noexcept;
    // True if the interrupted emission was abandoned by a jump. `frame`: address of the caller's frame.
    bool was_left(uintptr_t frame) noexcept { return nested_.was_left(frame); }
    // Call when the thread ends: an emission in which it was cancelled does not continue.
    void leave_emission();
    void flush(Amid amid);
    void note_gap(const Gap& gap, Amid amid);
    void move_to_cpu(int phyid, Amid amid);
    // ovni_thread_init: makes the files at once; takes over a stream of ours, even one that is closed.
    void open_for_program(pid_t tid);
    // Call in a fork's child: copies models and marks from the parent's stream of this thread.
    void inherit(const Stream& parent);
    // Call in a fork's child, which does not own this stream.
    void let_shared_emission_end() { shared_.let_emission_end(); }

    // Any thread.
    // True if the life cycle lets events of the thread be recorded: definitions are recorded then.
    bool runs() const { return life_.runs(); }
    bool is_ours() const { return life_.is_ours(); }
    bool is_closed() const { return life_.is_closed(); }
    bool has_memory() const { return own_.is_mapped(); }
    // True if the stream only gives the thread a row.
    bool is_mere_row() const { return row_ != Row::none && !holds_events(); }
    pid_t tid() const { return place_.tid(); }
    bool is_of(pthread_t thread) const { return !is_held() && pthread_equal(thread, thread_) != 0; }
    // True if the stream may take in others, or be taken in, once its thread has ended.
    bool may_show_others() const;
    // Call if the thread has ended but the stream stays open: MPI_Init may still give the identity, and a row
    // without events may show later threads.
    void hold();
    // Shows the thread of `other` after its own thread, if the rows are equal and do not overlap. Call with
    // both streams held. If true, `other` is not written; delete it.
    bool take_in(Stream& other);
    uint64_t held_since() const { return held_since_.load(std::memory_order_relaxed); }
    bool is_held() const { return held_since() != 0; }
    // Names the thread; at most 15 bytes count.
    void set_name(const char* name);
    // Call with true before an exec, with false if it failed and the thread goes on.
    void expect_exec(bool is_coming);
    // Requests that the events published so far are written. The second function returns how many bytes of
    // them are not written yet.
    void ask_for_published();
    uint64_t asked_and_not_written();
    // Call when the identity is known: adapts the beginning of a stream of ours, if it is not on disk yet.
    void follow_identity();
    // `end` is null if the program called ovni_thread_free().
    void close(const StreamEnd* end);
    void close_ours(const StreamEnd* end);
    bool has_row() const { return row_ != Row::none; }
    // True if the library records the end of the thread, because the program has not.
    bool is_shown_by_us() const;
    // Drops the row: a stream of ours without events is not written.
    void withdraw_row();
    // Ends the stream because the process ends. If this process drains, other threads' emissions wait for the
    // end from now on, and events of the exiting thread are lost. False if another thread holds the lock.
    bool end_with_process(int code);
    // Reports the exit without taking the lock, whose holder may never go on.
    void report_exit(int code) noexcept;
    // Call after close(): waits for a drainer of this process.
    void wait_until_written();

    // Calls `use` with the metadata under the stream's lock. Changes are saved in the note.
    template <class Use>
    auto with_metadata(Use use) {
        SlowPath slow;
        Lock lock(mutex_);
        struct Save {
            Place& place;
            uint64_t changes = place.metadata().changes();
            ~Save() {
                if (place.metadata().changes() != changes) place.save_note();
            }
        } save{place_};
        return use(place_.metadata());
    }
    void write_metadata();

 private:
    bool get_ring(Host::Size size);
    void open_ours(uint64_t since);
    bool is_worth_writing() const { return holds_events() || has_row(); }
    bool holds_events() const { return own_.is_mapped() && holds_events(own_.head()); }
    bool holds_events(uint64_t position) const;
    bool make_room_for_another();
    bool looks_like(const Stream& other) const;
    const void* raise(const void* event, size_t size, Event& raised);
    void follow_life_cycle(const uint8_t* event);
    void set_phase(ThreadLife::Phase phase);
    void set_closed(bool closed);
    void drop_our_life();
    void end_our_life(uint64_t clock);
    uint64_t end_clock() const;
    void wait_for_end();
    void close_locked(const StreamEnd* end);
    void end_with_process_locked(int code);

    OwnRing own_;
    Mutex mutex_;
    ThreadLife life_;
    Place place_;
    SharedEmission shared_;
    RingWriter writer_;
    NestedEmission nested_;
    ShownRecording recording_;
    std::atomic<bool> ends_{false};  // is ending with the process
    pid_t exiting_thread_ = 0;
    const pthread_t thread_ = pthread_self();
    std::atomic<uint64_t> held_since_{0};  // by the clock of events; 0: the thread lives
    Row row_;
    uint64_t asked_ = 0;  // position, see ask_for_published()
};

// Returns when the present contents of the shared buffer are in the rings of its threads, or if there is no
// drainer. If the caller is a handler, the drainer may wait for the emission that the handler interrupted. So
// a handler gives up soon.
void wait_until_moved();

}  // namespace ovni::writer
