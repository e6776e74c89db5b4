// The calling thread: its stream, and its phase between ovni_thread_init() and its end. Holds the list of the
// streams of all threads, too, for flush, exit and fork.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>

#include "runtime/stream.hpp"

namespace ovni::writer {

// Notices a clone() that bypassed fork(): in its child the thread has no stream.
ThreadState& this_thread();

// The stream that the program has opened in this thread. If it has opened none, the program ends with an
// error. Null if that is not the program's mistake: in a fork's child, after the end of the thread, in a
// handler that interrupted the library, and if memory ran out.
Stream* program_stream(const char* function);

// Counts an event as lost if the thread is unrecorded or has ended.
void lose_event();

// True in a handler that interrupted an emission of this thread, or another slow path.
bool interrupts_emission(const Stream* stream);
inline Amid amid(const Stream* stream) {
    return interrupts_emission(stream) ? Amid::an_emission : Amid::nothing;
}

// The stream of a thread in a fork's child that has not initialised itself; opened if there is none. Null if
// the thread's stream has ended.
Stream* inherited_stream();

// Gives the calling thread a stream, which is closed when the thread ends. Null without memory.
Stream* open_stream(pid_t tid, Owner owner, const SlowPath& slow, Row row = Row::none);

// From now on the main thread has a row that begins with the process, even if its stream is opened later.
void show_rows();
// Call if the program itself records its threads: rows of threads without events are dropped, and no new ones
// are made.
void withdraw_rows();
bool are_rows_withdrawn();
// The Row for a stream of ours that is opened because its thread emits.
Row row_with_events();
// Closes the held streams, except for the `most` newest.
void close_held(size_t most);
// Gives the calling thread a stream that shows it, if it has none.
void show_thread(Row row);
// Ends the stream of the calling thread for ovni_thread_free().
void free_stream();

// False in a child that shares our memory, or that was copied without the handlers of pthread_atfork.
bool is_this_process();
// How many forks lie between this process and its program.
uint32_t fork_depth();
// Call before the calling thread creates another one. After a clone() that bypassed fork() it is the only
// thread, so the child starts over now; later, several threads might try.
void expect_thread();

// All streams of the process. None is opened or freed during a visit.
class StreamList {
 public:
    constexpr StreamList() = default;
    void add(Stream* stream);
    void remove(Stream* stream);
    // Call when the thread of the stream has ended. Either another held row shows the thread, and the stream
    // is deleted, or the stream is held. It may be deleted as soon as this returns.
    void hold(Stream* stream);
    // Removes the streams whose threads have ended, except for the `most` that ended last.
    std::vector<Stream*> take_held(size_t most);
    // Removes all held streams with this thread id.
    std::vector<Stream*> take_held_of(pid_t tid);
    template <class Visit>
    void visit(Visit visit) {
        SlowPath slow;
        Lock lock(mutex_);
        for (Stream* stream : streams_) visit(*stream);
    }
    // False if all streams are rows without events. Call with the lock held.
    bool hold_more_than_rows() const {
        return !std::ranges::all_of(streams_, [](const Stream* stream) { return stream->is_mere_row(); });
    }
    // Returns false, without a visit, if another thread or an interrupted function of this thread uses the
    // list.
    template <class Visit>
    bool try_to_visit(Visit visit) {
        if (!mutex_.try_lock()) return false;
        for (Stream* stream : streams_) visit(*stream);
        mutex_.unlock();
        return true;
    }
    template <class Visit>
    bool visit_soon(Visit visit) {
        SlowPath slow;
        if (!mutex_.lock_soon()) return false;
        for (Stream* stream : streams_) visit(*stream);
        mutex_.unlock();
        return true;
    }
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    // Call in a fork's child: the other threads do not exist, and their rings are the parent's.
    void forget_in_child() { streams_.clear(); }
    void forget_locks() { mutex_.forget(); }

 private:
    void take(const std::vector<Stream*>& taken);

    Mutex mutex_;
    std::vector<Stream*> streams_;
};

extern Immortal<StreamList> all_streams;
inline StreamList& streams() {
    return all_streams.value;
}

}  // namespace ovni::writer
