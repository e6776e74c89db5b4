// What the calling thread has: its stream and where it is between ovni_thread_init() and its end; and the
// list of the streams of all threads, for what concerns them together: flush, exit, fork.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "runtime/stream.hpp"

namespace ovni::writer {

// In the child of a clone() that bypassed fork(), the thread has no stream any more.
ThreadState& this_thread();

// The stream that the program has opened in this thread. Where it has none, this is the program's mistake and
// its end; null where nobody is to blame: in a fork's child, after the end of the thread, in a handler that
// came amid a slow way of the library, and where there is no memory.
Stream* program_stream(const char* function);

// An event that finds no stream.
void lose_event();

// In a handler that came between the beginning and the end of an emission of this thread, or of another slow
// way of it.
bool interrupts_emission(const Stream* stream);
inline Amid amid(const Stream* stream) {
    return interrupts_emission(stream) ? Amid::an_emission : Amid::nothing;
}

// That of a thread in a fork's child that has not initialised itself, opened where it has none; null where it
// had one.
Stream* inherited_stream();

// Gives the calling thread a stream; it is closed when the thread ends. Null where there is no memory for it.
Stream* open_stream(pid_t tid, Owner owner, const SlowPath& slow);
// The program is done with the stream of the calling thread.
void free_stream();

// Every stream of the process; none is opened or freed during a visit.
class StreamList {
 public:
    constexpr StreamList() = default;
    void add(Stream* stream);
    void remove(Stream* stream);
    template <class Visit>
    void visit(Visit visit) {
        SlowPath slow;
        Lock lock(mutex_);
        for (Stream* stream : streams_) visit(*stream);
    }
    bool empty() const { return streams_.empty(); }  // with the lock
    // False where somebody else uses the list, or this thread, in what it has interrupted.
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
    // In a fork's child, which has none of these threads; their rings are the parent's.
    void forget_in_child() { streams_.clear(); }
    void forget_locks() { mutex_.forget(); }

 private:
    Mutex mutex_;
    std::vector<Stream*> streams_;
};

extern Immortal<StreamList> all_streams;
inline StreamList& streams() {
    return all_streams.value;
}

}  // namespace ovni::writer
