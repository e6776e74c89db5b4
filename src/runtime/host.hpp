// The process in its run directory: gives rings to threads and ensures that they are drained, by ovnirun if
// it started the program and lives, else by a thread of this process. Call inside a SlowPath.
//
// After chroot() files are made from the first root (ring/first_root.hpp). After setuid(), or if the program
// has closed the descriptor of the first root, no files can be made in the run directory. Then threads keep
// their rings, and new threads get none. One line reports that, and their events count as
// `ovni.lost_elsewhere` in the stream of the first thread that got a ring. Memory without a file would not
// help: ovnirun cannot see it, and a drainer in the process may not make the files of the stream. That
// drainer cannot renew stream.json either, unless the file belongs to the new user. A drainer that has kept
// its rights finds the metadata in the rings (late_note.hpp).
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drain/drainer.hpp"
#include "ring/session.hpp"
#include "ring/settings.hpp"
#include "ring/shared_file.hpp"
#include "runtime/guard.hpp"

namespace ovni::writer {

// A ring that a thread uses, with its number in the run directory.
struct RingLease {
    Ring ring;
    uint32_t number = 0;
    std::string note = {};  // the text last written to the note's file
    bool is_mapped() const { return ring.is_mapped(); }
    RingHeader& header() const { return ring.header(); }
};

class Host {
 public:
    constexpr Host() = default;

    // Returns an open ring without events. Not mapped, with errno, if there is no room. For Size::small the
    // ring may be larger.
    enum class Size : uint8_t { small, full };
    RingLease open_ring(pid_t tid, const std::string& trace_directory, Size size = Size::full);
    // Takes a closed ring back from its thread.
    void give_back(RingLease ring);
    std::string note_path(const RingLease& ring) const { return session_.note_path(ring.number); }
    const Settings& settings() const { return settings_; }
    // Counts events of a thread that has no ring: the stream of another thread reports them.
    void count_lost(uint64_t events);
    // The buffer that threads emit into instead of their rings; null: they use their rings.
    const SharedBuffer* shared() const {
        const SharedFile* file = shared_.load(std::memory_order_acquire);
        return file ? &file->buffer() : nullptr;
    }
    uint32_t shared_number() const { return shared_number_; }
    // Returns when the `freed` of the shared buffer has grown beyond this value, or after a short time.
    void wait_for_room(SharedHeader& header, uint64_t freed);

    // Wakes the drainer, if there is one.
    void wake() const {
        if (session_.is_valid()) session_.ring_doorbell();
    }
    // Returns when the ring has been drained further than `drained`, or after a short time.
    void wait_until_drained(const RingLease& ring, uint64_t drained);
    // True if a drainer lives, or did a moment ago. The next function returns when it began its last pass
    // over all rings.
    bool is_served() const { return session_.seems_served(); }
    uint64_t last_pass() const { return session_.header().heartbeat.load(std::memory_order_relaxed); }
    // Returns when the present contents of the shared buffer are in the rings of its threads, or after
    // `most_waits` waits of 20 ms without progress.
    void wait_until_moved(int most_waits);
    // Wakes the drainer, and waits a short time.
    void wait_a_moment();
    // Returns when `drained_blocks` of the ring is not `seen` any more, or after a short time.
    void wait_for_drainer(const RingLease& ring, uint32_t seen);
    // Call once there is a ring.
    ClockPage* clock() const { return &session_.header().clock; }
    bool drains_itself() const { return has_thread_ || drains_inline_.load(std::memory_order_acquire); }
    // Call at the end of the process, with all rings closed: brings their events into their streams.
    void finish();
    // Call in a fork's child: leaves rings and run directory to the parent.
    void start_over_in_child();

 private:
    static constexpr uint64_t short_time = 20'000'000;  // ns; a living drainer wakes earlier

    bool open_session(const std::string& trace_directory);
    bool make_session(const std::string& trace_directory);
    RingLease take_ring(const std::string& trace_directory, Size size);
    RingLease reuse(Size size);
    RingLease make_ring(const std::string& trace_directory, size_t wanted);
    size_t full_size() const;
    uint64_t kept_in(uint64_t capacity) const;
    RingLease publish(Ring ring, const std::string& file, const char* link_to);
    void make_shared();
    void leave_session(RingLease lease);
    void choose_reporter(RingHeader& ring);
    // Whether the draining thread has its own descriptor table.
    enum class Descriptors : uint32_t { unknown, shared, of_drainer };
    void drain_here();
    Descriptors await_descriptors();
    void end_session();
    bool call_drainer();
    static void* drain(void* host);
    void finish_locked();
    void wait_for_thread();

    Mutex mutex_;
    Session session_;
    Settings settings_;
    std::vector<RingLease> free_;
    std::atomic<RingHeader*> reporter_{nullptr};      // reports lost events; its ring stays mapped
    std::atomic<uint64_t> lost_without_reporter_{0};  // events
    uint64_t all_rings_ = 0;                          // bytes
    std::optional<Drainer> drainer_;
    std::atomic<bool> has_thread_{false};
    pthread_t thread_{};
    std::atomic<uint32_t> stop_{0}, descriptors_{0};
    std::atomic<bool> drains_inline_{false};  // no draining thread could be created
    Mutex inline_;
    uint64_t image_ = 0, process_start_ = 0;
    bool tried_ = false, tried_shared_ = false;
    std::atomic<const SharedFile*> shared_{nullptr};  // never freed
    uint32_t shared_number_ = 0;
    struct Left {
        Session session;
        std::vector<RingLease> rings;
    };
    std::vector<Left> left_;  // mappings of removed run directories
};

// Sets the clock of the library; null: the clock of the system. `time_ahead`: of the run directory.
void set_clock(ClockPage* page, int64_t time_ahead);
// The clock of ovni_clock_now().
uint64_t clock_now();

// The clocks of this process as those of its run directory, for read_clock().
struct ClocksOfSession : HostClocks {
    static int64_t monotonic_ns() noexcept;
};

extern Immortal<Host> the_host;
inline Host& host() {
    return the_host.value;
}

}  // namespace ovni::writer
