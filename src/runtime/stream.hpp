// The stream of one thread, as the traced process sees it: who owns it, how it opens and ends, and in which
// order its members act. The members own the rest: the ring and its window (OwnRing), the life of the thread
// (ThreadLife), the place and the metadata of the stream (Place), three ways of emission (RingWriter,
// SharedEmission, NestedEmission), and what is shown of recording on and off (ShownRecording).
//
// The thread stores events through the window (ovni/emit.hpp) and comes here on the slow path only: the ring
// is full or wraps, an event changes the life cycle, a handler interrupted an emission, recording changed, or
// threads share a buffer. A published event gets into the stream, whatever becomes of the process.
//
// A stream of ours, which the library opened by itself, is on disk only after it is placed. A program that
// begins to record its own life cycle takes the stream over.
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

// A thread that emits nothing has no row, a row, or a row unless the process becomes another program.
enum class Row : uint8_t { none, always, unless_exec };

class Stream {
 public:
    // `usual_signals`: those that the thread has blocked outside of handlers. `since`: monotonic_clock()
    // when the thread began; 0: now.
    Stream(pid_t tid, Owner owner, const sigset_t& usual_signals, Row row = Row::none, uint64_t since = 0);
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // The stream whose emission has begun in that window; null for the stream of a fork's parent.
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
    // True if the thread is amid an emission into the shared buffer, or has left one.
    bool is_emitting_shared() const { return shared_.is_emitting(); }
    // Emits in a handler that interrupted an emission of this thread, or another slow path.
    void emit_nested(const void* event, size_t size) noexcept;
    // True if the emission that seems to be interrupted was left for good; `frame` is where the caller
    // stands.
    bool was_left(uintptr_t frame) noexcept { return nested_.was_left(frame); }
    // The thread ends: an emission that it was cancelled in does not go on.
    void leave_emission();
    void flush(Amid amid);
    void note_gap(const Gap& gap, Amid amid);
    void move_to_cpu(int phyid, Amid amid);
    // ovni_thread_init: makes the files at once; takes over a stream of ours, even one that is closed.
    void open_for_program(pid_t tid);
    // In a fork's child: takes over what the parent's stream of this thread says of models and marks.
    void inherit(const Stream& parent);
    // The caller is a fork's child that does not own this stream.
    void let_shared_emission_end() { shared_.let_emission_end(); }

    // Any thread.
    // True if the life cycle lets events of the thread be recorded: definitions are recorded then.
    bool runs() const { return life_.runs(); }
    bool is_ours() const { return life_.is_ours(); }
    bool is_closed() const { return life_.is_closed(); }
    bool has_memory() const { return own_.is_mapped(); }
    // It shows that the thread is there, and nothing else.
    bool is_mere_row() const { return row_ != Row::none && !holds_events(); }
    pid_t tid() const { return place_.tid(); }
    bool is_of(pthread_t thread) const { return !is_held() && pthread_equal(thread, thread_) != 0; }
    // It may take in others once its thread has ended, or be taken in.
    bool may_show_others() const;
    // The thread has ended, but the stream stays open: MPI_Init may still say who the process is, and a mere
    // row may show threads that come later.
    void hold();
    // Both are held. Shows the thread of `other` behind that of its own, if the rows look alike and do not
    // overlap: `other` is not written then, and to be deleted.
    bool take_in(Stream& other);
    uint64_t held_since() const { return held_since_.load(std::memory_order_relaxed); }
    bool is_held() const { return held_since() != 0; }
    // Names the thread; at most 15 bytes count.
    void set_name(const char* name);
    // The process becomes another program: false if that fails, and the thread goes on.
    void expect_exec(bool is_coming);
    // Asks for what is published now to be written. The second returns how much of that is not written yet.
    void ask_for_published();
    uint64_t asked_and_not_written();
    // The identity of the process is known: the beginning of a stream of ours follows it, if not yet on disk.
    void follow_identity();
    // `end` is null if the program ended the thread.
    void close(const StreamEnd* end);
    void close_ours(const StreamEnd* end);
    bool has_row() const { return row_ != Row::none; }
    // The library says when the thread ends, as the program has said nothing of it.
    bool is_shown_by_us() const;
    // A stream of ours without events is not written.
    void withdraw_row();
    // The process ends, and the stream ends with it. If this process drains, emissions wait for the end from
    // now on, but what the exiting thread emits is lost. False if another thread keeps the lock.
    bool end_with_process(int code);
    // Reports the exit without the lock: its holder may never go on.
    void report_exit(int code) noexcept;
    // Call after close(): waits for a drainer of this process.
    void wait_until_written();

    // Gives `use` the metadata, under the stream's lock. The note follows what it changes.
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
    std::atomic<bool> ends_{false};  // with the process, now
    pid_t exiting_thread_ = 0;
    const pthread_t thread_ = pthread_self();
    std::atomic<uint64_t> held_since_{0};  // by the clock of events; 0: the thread lives
    Row row_;
    uint64_t asked_ = 0;  // position, see ask_for_published()
};

// Returns when what the shared buffer holds now is in the rings of its threads, or nobody drains. The drainer
// may wait for an emission that the caller, a handler, has interrupted: a handler gives up soon.
void wait_until_moved();

}  // namespace ovni::writer
