// The stream of one thread: a buffer that only its thread fills, and the file, metadata and gaps behind it.
//
// The thread stores events through the window (ovni/emit.hpp) and comes here only when the buffer is full or
// an event changes its life cycle. The window's head is released after every event, so any thread may write
// out what is published; whoever does holds the lock, and only the owner starts the buffer over.
//
// A stream of ours begins in memory: nothing is on disk before its first block, and the first 28 bytes of its
// buffer are kept for the OHx that is put there when it is known who the process is. A program that tells its
// own life cycle later takes the stream over.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ovni/emit.hpp"
#include "runtime/event.hpp"
#include "runtime/gaps.hpp"
#include "runtime/guard.hpp"
#include "runtime/metadata.hpp"
#include "runtime/stream_file.hpp"

namespace ovni {

enum class Owner { program, ours };

class Stream {
 public:
    Stream(pid_t tid, Owner owner);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // By the owning thread.
    ovni_private_window* window() { return &window_; }
    void emit(const void* event, size_t size, const void* data = nullptr, size_t data_size = 0);
    void flush();
    // ovni_thread_init: makes the file at once; takes a stream of ours over, also one that is closed.
    void open_for_program(pid_t tid);
    void note_gap(Gap gap);
    void move_to_cpu(int phyid);
    // By its life cycle, events of the thread are recorded.
    bool is_running() const { return life_ == Life::running && !is_closed(); }
    bool is_ours() const { return ours_; }

    // Any thread.
    bool is_closed() const { return closed_.load(std::memory_order_acquire); }
    bool has_memory() const { return capacity_ > 0; }
    void write_published();
    void close(const StreamEnd* end);
    // The same for a stream of ours only.
    void close_ours(const StreamEnd* end);
    // In a fork's child: the parent's file stays untouched.
    void abandon() { file_.close(); }

    // The metadata under the stream's lock.
    template <class Use>
    auto with_metadata(Use use) {
        SlowPath slow;
        Lock lock(mutex_);
        return use(metadata_);
    }
    void write_metadata();

 private:
    static constexpr uint64_t our_begin_bytes = OVNI_FORMAT_EVENT_MAX;  // OHx with its three arguments

    enum class Life { unborn, running, paused, dead };

    void map_buffer();
    uint64_t head() const { return __atomic_load_n(&window_.head, __ATOMIC_ACQUIRE); }
    void set_head(uint64_t head) { __atomic_store_n(&window_.head, head, __ATOMIC_RELEASE); }
    void set_limit(uint64_t limit) { __atomic_store_n(&window_.limit, limit, __ATOMIC_RELAXED); }
    uint64_t position() const { return file_.end() + (head() - written_); }
    bool holds_events() const;

    void append(const void* event, size_t size, const void* data = nullptr, size_t data_size = 0);
    void append_flush_pair();
    void follow_life_cycle(const uint8_t* event);
    void drop_our_life();
    void place_our_begin(const Facts& facts);
    void end_our_life(uint64_t clock);
    bool begins_after_our_life(const void* event) const;
    const void* raise(const void* event, size_t size, Event& raised) const;
    uint64_t newest_clock() const;
    void start_buffer_over();
    void write_out();
    void write_block(const uint8_t* events, size_t bytes);
    void lose(EventSpan span, const char* reason);
    void make_file(const Facts& facts);
    void close_locked(const StreamEnd* end);
    void write_side_files(const Facts& facts);
    std::string directory() const { return roots_.writing() + place_; }

    ovni_private_window window_{};  // first: the window of a thread is its stream
    Mutex mutex_;
    uint64_t capacity_ = 0;
    uint64_t written_ = 0;  // bytes of the buffer that are in the file
    bool ours_;
    const bool born_ours_;
    std::atomic<bool> closed_{false};
    Life life_;
    bool our_life_ = false;       // OHx is ours and OHe is still to come
    bool our_begin_due_ = false;  // the place of OHx is kept but not filled
    bool flush_pair_due_ = false;
    uint64_t flush_begin_ = 0, flush_end_ = 0;
    uint64_t opening_clock_ = 0;
    int opening_phyid_ = -1;
    std::atomic<int> phyid_{-1};  // where the thread is by its events; -1: the virtual CPU
    uint64_t last_clock_ = 0;
    uint64_t lost_ = 0;
    pid_t tid_;
    Roots roots_;
    std::string place_;  // below the roots; empty: nothing is on disk
    StreamFile file_;
    Gaps gaps_;
    Metadata metadata_;
};

uint64_t clock_now();

}  // namespace ovni
