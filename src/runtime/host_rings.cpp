// Rings for threads, and the buffer that they share: as large as wanted if there is room.
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "core/page.hpp"
#include "ring/diagnostics.hpp"
#include "ring/first_root.hpp"
#include "ring/futex.hpp"
#include "runtime/host.hpp"
#include "runtime/process.hpp"

namespace ovni::writer {
namespace {

constexpr size_t most_waiting_small = 1024;  // rings of threads that have ended

// Notes on the streams lie next to the rings. Ask before a ring is made: a file that is too large would be in
// the way of other threads, if only for a moment.
bool leaves_room_for_notes(const std::string& directory, size_t capacity) {
    constexpr uint64_t most = 16 << 20;
    struct statvfs room {};
    if (statvfs(directory.c_str(), &room) != 0) return true;
    uint64_t kept = std::min(uint64_t{room.f_blocks} * room.f_frsize / 8, most);
    return uint64_t{room.f_bavail} * room.f_frsize >= Ring::file_bytes(capacity) + kept;
}

// The name identifies the process that made the file, which may be dead.
std::string name_of_new_file() {
    return "new." + std::to_string(getpid()) + "." + std::to_string(own_process_id().space) + "." +
           std::to_string(monotonic_clock());
}

void remove_file(const char* path) {
    const PathAt at = from_first_root(path);
    ::unlinkat(at.directory, at.path, 0);
}

// Empty again. The drainer does not look at a ring that is not open.
void start_over(RingHeader& header) {
    uint32_t generation = header.generation.load(std::memory_order_relaxed);
    header.written_before += header.progress[header.current.load(std::memory_order_acquire) % 2].written;
    constexpr size_t kept = offsetof(RingHeader, published);
    memset(reinterpret_cast<uint8_t*>(&header) + kept, 0, sizeof header - kept);
    header.generation.store(generation + 1, std::memory_order_release);
}

}  // namespace

RingLease Host::open_ring(pid_t tid, const std::string& trace_directory, Size size) {
    Lock lock(mutex_);
    if (!open_session(trace_directory)) return {};
    if (settings_.mode == BufferMode::shared && !tried_shared_) make_shared();
    // A buffer that threads share fills rings that their threads never look at.
    if (shared() || settings_.mode == BufferMode::shared) size = Size::full;
    RingLease lease = take_ring(trace_directory, size);
    // The one we were to use goes away: its drainer has not seen that we come.
    if (session_.is_removed()) {
        leave_session(std::move(lease));
        if (!make_session(trace_directory)) return {};
        set_clock(&session_.header().clock, session_.time_ahead());
        process().set_session(session_.header());
        if (settings_.mode == BufferMode::shared) make_shared();
        lease = take_ring(trace_directory, size);
    }
    if (!lease.is_mapped()) return lease;
    RingHeader& header = lease.header();
    start_over(header);
    header.opened.store(session_.header().openings.fetch_add(1) + 1);
    header.opened_at.store(clock_now(), std::memory_order_relaxed);
    header.tid = tid;
    choose_reporter(header);
    if (!has_thread_ && (session_.is_owned_by_this_process() || !session_.seems_served())) drain_here();
    return lease;
}

// Its memory stays: other threads may read its clock.
void Host::leave_session(RingLease lease) {
    reporter_.store(nullptr, std::memory_order_relaxed);
    free_.push_back(std::move(lease));
    left_.push_back({std::move(session_), std::move(free_)});
    session_ = Session();
    free_.clear();
    shared_.store(nullptr, std::memory_order_release);
    all_rings_ = 0;
}

// The note of a ring that is used again names the thread before, until the next one replaces it: a thread
// that cannot do that would go on with a stream of another one.
RingLease Host::take_ring(const std::string& trace_directory, Size size) {
    const PathAt at = from_first_root(session_.directory().c_str());
    if (::faccessat(at.directory, at.path, W_OK | X_OK, AT_EACCESS) != 0) return {};
    RingLease lease = reuse(size);
    if (!lease.is_mapped() && size == Size::small) lease = make_ring(trace_directory, Ring::small);
    if (!lease.is_mapped() && size == Size::full) lease = make_ring(trace_directory, full_size());
    return lease;
}

// A ring that the drainer is done with.
RingLease Host::reuse(Size size) {
    auto is_fit = [&](const RingLease& ring) { return ring.ring.is_small() == (size == Size::small); };
    auto is_done = [&](const RingLease& ring) {
        return is_fit(ring) && ring.header().state.load(std::memory_order_acquire) == RingState::done;
    };
    // Threads may come and go faster than a drainer makes their files.
    bool too_many = size == Size::small
                        ? free_.size() >= most_waiting_small
                        : all_rings_ + settings_.ring + settings_.flight > settings_.all_rings;
    auto found = std::find_if(free_.begin(), free_.end(), is_done);
    auto oldest = std::find_if(free_.begin(), free_.end(), is_fit);
    for (int wait = 0; found == free_.end() && too_many && oldest != free_.end() && wait < 5; ++wait) {
        RingHeader& header = oldest->header();
        uint32_t seen = header.drained_blocks.load(std::memory_order_seq_cst);
        wake();
        if (!is_done(*oldest)) futex_wait(header.drained_blocks, seen, short_time);
        found = std::find_if(free_.begin(), free_.end(), is_done);
    }
    if (found == free_.end()) return {};
    RingLease ring = std::move(*found);
    free_.erase(found);
    return ring;
}

size_t Host::full_size() const {
    size_t wanted = settings_.ring + settings_.flight;
    while (wanted > Settings::smallest_ring && all_rings_ + wanted > settings_.all_rings)
        wanted = std::max(wanted / 2 / page_bytes * page_bytes, Settings::smallest_ring);
    return wanted;
}

// The ring is as large as wanted if there is room, else smaller, else in another place.
RingLease Host::make_ring(const std::string& trace_directory, size_t wanted) {
    const size_t least = std::min(wanted, Settings::smallest_ring);
    std::string name = name_of_new_file();
    for (size_t capacity = wanted; capacity >= least; capacity = capacity / 2 / page_bytes * page_bytes) {
        std::string file = session_.directory() + "/" + name;
        if (!leaves_room_for_notes(session_.directory(), capacity)) continue;
        if (Ring ring = Ring::create(file, capacity); ring.is_mapped())
            return publish(std::move(ring), file, nullptr);
    }
    for (uint32_t choice = 0; choice < session_places; ++choice) {
        std::string place = session_place(choice, trace_directory);
        if (place.empty() || !leaves_room_for_notes(place, least)) continue;
        std::string file = place + "/" + name;
        if (Ring ring = Ring::create(file, least); ring.is_mapped())
            return publish(std::move(ring), session_.directory() + "/" + name, file.c_str());
    }
    return {};
}

void Host::count_lost(uint64_t events) {
    RingHeader* reporter = reporter_.load(std::memory_order_acquire);
    bool reports = reporter && !is_over(*reporter);
    (reports ? reporter->lost_elsewhere : lost_without_reporter_)
        .fetch_add(events, std::memory_order_relaxed);
}

void Host::choose_reporter(RingHeader& ring) {
    ring.lost_elsewhere.fetch_add(lost_without_reporter_.exchange(0), std::memory_order_relaxed);
    RingHeader* reporter = reporter_.load(std::memory_order_relaxed);
    if (!reporter || is_over(*reporter)) reporter_.store(&ring, std::memory_order_release);
}

// The room in which the thread may run ahead of the drainer takes at most half of a small ring.
uint64_t Host::kept_in(uint64_t capacity) const {
    if (settings_.flight == 0 || capacity == Ring::small) return 0;
    uint64_t kept = std::min(settings_.flight, capacity - std::min(settings_.ring, capacity / 2));
    if (kept < settings_.flight)
        complain(Trouble::memory, "ovni",
                 "the flight recorder keeps only %lu kB of a thread: no memory for more", kept >> 10);
    return kept;
}

RingLease Host::publish(Ring ring, const std::string& file, const char* link_to) {
    if (const PathAt at = from_first_root(file.c_str());
        link_to && symlinkat(link_to, at.directory, at.path) != 0) {
        remove_file(link_to);
        return {};
    }
    // Before the drainer sees it.
    RingHeader& header = ring.header();
    header.pid = getpid();
    header.process_start = process_start_;
    header.pid_space = own_process_id().space;
    header.time_offset = session_.header().time_offset;
    header.image = image_;
    header.limit = settings_.limit;
    header.kept = kept_in(ring.capacity());
    header.flush_age = settings_.flush_age;
    header.form = settings_.form;
    uint32_t number = session_.header().rings.fetch_add(1, std::memory_order_acq_rel);
    std::string path = session_.ring_path(number);
    if (rename_from_first_root(file.c_str(), path.c_str()) != 0) return {};
    if (session_.is_removed()) {
        remove_file(path.c_str());
        if (link_to) remove_file(link_to);
        return {};
    }
    all_rings_ += ring.capacity();
    return {std::move(ring), number};
}

// Without room for it, threads emit into their rings.
void Host::make_shared() {
    tried_shared_ = true;
    bool discards = settings_.on_full == OnFull::discard;
    // A thread that finds no room waits where signals wait, too.
    SharedOptions options{.seats = Settings::seats_in_shared,
                          .on_full = discards ? SharedOnFull::discard : SharedOnFull::wait,
                          .patience_ms = 0};
    std::string file = session_.directory() + "/" + name_of_new_file();
    uint64_t wanted = std::bit_floor(settings_.ring * Settings::rings_in_shared);
    static_assert(largest_part + record_header_bytes <= Settings::smallest_ring / 4);
    for (options.capacity = wanted; options.capacity >= Settings::smallest_ring; options.capacity /= 2) {
        options.kept = options.capacity / 16;
        SharedFile made = SharedFile::create(file, options, image_);
        if (!made.is_mapped()) continue;
        shared_number_ = session_.header().rings.fetch_add(1, std::memory_order_acq_rel);
        if (rename_from_first_root(file.c_str(), session_.shared_path(shared_number_).c_str()) != 0) break;
        all_rings_ += options.capacity;
        shared_.store(new SharedFile(std::move(made)), std::memory_order_release);
        return;
    }
    complain(Trouble::memory, "ovni", "no room for a shared buffer, every thread gets a buffer of its own:");
}

}  // namespace ovni::writer
