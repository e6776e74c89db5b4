#include "runtime/host.hpp"

#include <signal.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/diagnostics.hpp"
#include "runtime/futex.hpp"

namespace ovni {

constinit Immortal<Host> the_host;

namespace {

constexpr uint64_t short_time = 20'000'000;  // a drainer wakes those who wait, if it lives
constexpr size_t page = 4096;

// Half of what is free there, at most a sixteenth of the memory.
uint64_t room_for_rings(const std::string& directory) {
    struct statvfs file_system {};
    struct sysinfo memory {};
    uint64_t free = UINT64_MAX, installed = UINT64_MAX;
    if (statvfs(directory.c_str(), &file_system) == 0)
        free = uint64_t{file_system.f_bavail} * file_system.f_frsize / 2;
    if (sysinfo(&memory) == 0) installed = uint64_t{memory.totalram} * memory.mem_unit / 16;
    return std::min(free, installed);
}

// What is said of the streams lies beside the rings. Asked before, as a file that is too large, if only for a
// moment, would be in the way of other threads.
bool leaves_room_for_notes(const std::string& directory, size_t capacity) {
    constexpr uint64_t most = 16 << 20;
    struct statvfs room {};
    if (statvfs(directory.c_str(), &room) != 0) return true;
    uint64_t kept = std::min(uint64_t{room.f_blocks} * room.f_frsize / 8, most);
    return uint64_t{room.f_bavail} * room.f_frsize >= Ring::file_bytes(capacity) + kept;
}

// Empty again. The drainer does not look at a ring that is not open.
void start_over(RingHeader& header) {
    uint32_t generation = header.generation.load(std::memory_order_relaxed);
    constexpr size_t kept = offsetof(RingHeader, published);
    memset(reinterpret_cast<uint8_t*>(&header) + kept, 0, sizeof header - kept);
    header.generation.store(generation + 1, std::memory_order_release);
}

}  // namespace

// A directory of our name is from the image before exec, or from a process of the same number that died.
bool Host::make_session(const std::string& trace_directory) {
    constexpr int most_attempts = 100;
    std::string name = session_name();
    for (uint32_t choice = 0; choice < session_places; ++choice) {
        std::string place = session_place(choice, trace_directory);
        for (int attempt = 0; !place.empty() && attempt < most_attempts; ++attempt) {
            std::string directory = place + "/" + name + (attempt ? "." + std::to_string(attempt) : "");
            session_ = Session::create(directory);
            if (!session_.is_valid() && errno != EEXIST) break;
            if (!session_.is_valid()) session_ = Session::open(directory);
            if (session_.is_valid() && session_.is_owned_by_this_process() && session_.lock()) return true;
        }
    }
    session_ = Session();
    return false;
}

bool Host::open_session(const std::string& trace_directory) {
    if (tried_) return session_.is_valid();
    tried_ = true;
    settings_ = Settings::from_environment();
    image_ = monotonic_clock();
    process_start_ = start_of_process(getpid());
    const char* given = getenv("OVNI_SESSION");
    if (given && *given) session_ = Session::open(given);
    if (session_.is_valid() && !session_.is_served()) session_ = Session();
    if (!session_.is_valid() && !make_session(trace_directory)) {
        complain(Trouble::memory, "ovni", "no place for the events of threads:");
        return false;
    }
    set_clock(&session_.header().clock);
    if (settings_.all_rings == 0) settings_.all_rings = room_for_rings(session_.directory());
    return true;
}

RingLease Host::open_ring(pid_t tid, const std::string& trace_directory) {
    Lock lock(mutex_);
    if (!open_session(trace_directory)) return {};
    if (settings_.mode == BufferMode::shared && !tried_shared_) make_shared();
    RingLease lease = reuse();
    if (!lease.is_mapped()) lease = make_ring(trace_directory);
    // The one we were to use goes away: its drainer has not seen that we come.
    if (session_.is_removed()) {
        lease = {};
        session_ = Session();
        if (!make_session(trace_directory)) return lease;
        set_clock(&session_.header().clock);
        lease = make_ring(trace_directory);
    }
    if (!lease.is_mapped()) return lease;
    RingHeader& header = lease.header();
    start_over(header);
    header.tid = tid;
    if (!has_thread_ && (session_.is_owned_by_this_process() || !session_.is_served())) drain_here();
    return lease;
}

// Those that the drainer is done with.
RingLease Host::reuse() {
    auto is_done = [](const RingLease& ring) {
        return ring.header().state.load(std::memory_order_acquire) == RingState::done;
    };
    bool too_many = all_rings_ + settings_.ring + settings_.flight > settings_.all_rings;
    auto found = std::find_if(free_.begin(), free_.end(), is_done);
    for (int wait = 0; found == free_.end() && too_many && !free_.empty() && wait < 5; ++wait) {
        RingHeader& oldest = free_.front().header();
        uint32_t seen = oldest.drained_blocks.load(std::memory_order_seq_cst);
        wake();
        if (!is_done(free_.front())) futex_wait(oldest.drained_blocks, seen, short_time);
        found = std::find_if(free_.begin(), free_.end(), is_done);
    }
    if (found == free_.end()) return {};
    RingLease ring = std::move(*found);
    free_.erase(found);
    return ring;
}

// As large as wanted where there is room, else smaller, else in another place.
RingLease Host::make_ring(const std::string& trace_directory) {
    size_t wanted = settings_.ring + settings_.flight;
    while (wanted > Settings::smallest_ring && all_rings_ + wanted > settings_.all_rings)
        wanted = std::max(wanted / 2 / page * page, Settings::smallest_ring);
    std::string name = "new." + std::to_string(getpid()) + "." + std::to_string(monotonic_clock());
    for (size_t capacity = wanted; capacity >= Settings::smallest_ring;
         capacity = capacity / 2 / page * page) {
        std::string file = session_.directory() + "/" + name;
        if (!leaves_room_for_notes(session_.directory(), capacity)) continue;
        if (Ring ring = Ring::create(file, capacity); ring.is_mapped())
            return publish(std::move(ring), file, nullptr);
    }
    for (uint32_t choice = 0; choice < session_places; ++choice) {
        std::string place = session_place(choice, trace_directory);
        if (place.empty() || !leaves_room_for_notes(place, Settings::smallest_ring)) continue;
        std::string file = place + "/" + name;
        if (Ring ring = Ring::create(file, Settings::smallest_ring); ring.is_mapped())
            return publish(std::move(ring), session_.directory() + "/" + name, file.c_str());
    }
    return {};
}

// What the thread may run ahead of the drainer takes no more than half of a small ring.
uint64_t Host::kept_in(uint64_t capacity) const {
    if (settings_.flight == 0) return 0;
    uint64_t kept = std::min(settings_.flight, capacity - std::min(settings_.ring, capacity / 2));
    if (kept < settings_.flight)
        complain(Trouble::memory, "ovni",
                 "the flight recorder keeps only %lu kB of a thread: no memory for more", kept >> 10);
    return kept;
}

RingLease Host::publish(Ring ring, const std::string& file, const char* link_to) {
    if (link_to && symlink(link_to, file.c_str()) != 0) {
        ::unlink(link_to);
        return {};
    }
    // Before the drainer sees it.
    RingHeader& header = ring.header();
    header.pid = getpid();
    header.process_start = process_start_;
    header.pid_space = pid_space();
    header.image = image_;
    header.limit = settings_.limit;
    header.kept = kept_in(ring.capacity());
    uint32_t number = session_.header().rings.fetch_add(1, std::memory_order_acq_rel);
    std::string path = session_.ring_path(number);
    if (::rename(file.c_str(), path.c_str()) != 0) return {};
    if (session_.is_removed()) {
        ::unlink(path.c_str());
        if (link_to) ::unlink(link_to);
        return {};
    }
    all_rings_ += ring.capacity();
    return {std::move(ring), number};
}

// Where there is no room for it, threads emit into their rings.
void Host::make_shared() {
    tried_shared_ = true;
    bool discards = settings_.on_full == OnFull::discard;
    // A thread that finds no room waits where signals wait, too.
    SharedOptions options{.seats = Settings::seats_in_shared,
                          .on_full = discards ? SharedOnFull::discard : SharedOnFull::wait,
                          .patience_ms = 0};
    std::string file =
        session_.directory() + "/new." + std::to_string(getpid()) + "." + std::to_string(monotonic_clock());
    uint64_t wanted = std::bit_floor(settings_.ring * Settings::rings_in_shared);
    for (options.capacity = wanted; options.capacity >= Settings::smallest_ring; options.capacity /= 2) {
        options.kept = options.capacity / 16;
        SharedFile made = SharedFile::create(file, options, image_);
        if (!made.is_mapped()) continue;
        shared_number_ = session_.header().rings.fetch_add(1, std::memory_order_acq_rel);
        if (::rename(file.c_str(), session_.shared_path(shared_number_).c_str()) != 0) break;
        all_rings_ += options.capacity;
        shared_ = std::move(made);
        return;
    }
    complain(Trouble::memory, "ovni", "no room for a shared buffer, every thread gets a buffer of its own:");
}

void Host::give_back(RingLease ring) {
    Lock lock(mutex_);
    free_.push_back(std::move(ring));
    wake();
}

// With the lock.
void Host::drain_here() {
    if (has_thread_ || drainer_ || !session_.claim()) return;
    drainer_.emplace(session_);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t{1} << 20);
    has_thread_ = pthread_create(&thread_, &attributes, drain, this) == 0;
    drains_inline_.store(!has_thread_, std::memory_order_release);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void* Host::drain(void* self) {
    auto* host = static_cast<Host*>(self);
    pthread_setname_np(pthread_self(), "ovni-drainer");
    host->drainer_->serve(host->stop_);
    return nullptr;
}

void Host::wait_until_drained(const RingLease& ring, uint64_t drained) {
    uint32_t seen = ring.header().drained_blocks.load(std::memory_order_seq_cst);
    if (ring.header().drained.load(std::memory_order_acquire) <= drained) wait_for_drainer(ring, seen);
}

// True where it came by at once.
bool Host::call_drainer() {
    if (!session_.seems_served()) {
        Lock lock(mutex_);
        drain_here();
    }
    session_.ring_doorbell();
    if (!drains_inline_.load(std::memory_order_acquire)) return false;
    Lock lock(inline_);
    drainer_->pass();
    return true;
}

void Host::wait_for_drainer(const RingLease& ring, uint32_t seen) {
    if (!call_drainer()) futex_wait(ring.header().drained_blocks, seen, short_time);
}

void Host::wait_until_moved() {
    constexpr int most_waits = 1000;  // without any progress
    const SharedHeader& header = shared_.buffer().header();
    uint64_t position = header.reserved.load(std::memory_order_acquire);
    for (int waits = 0; waits < most_waits; ++waits) {
        uint64_t before = header.freed.load(std::memory_order_acquire);
        if (before >= position) return;
        wait_for_room(before);
        if (header.freed.load(std::memory_order_acquire) != before) waits = 0;
    }
}

void Host::wait_a_moment() {
    if (!session_.is_valid() || call_drainer()) return;
    std::atomic<uint32_t> never{0};
    futex_wait(never, 0, static_cast<int64_t>(short_time));
}

void Host::wait_for_room(uint64_t freed) {
    SharedHeader& header = shared_.buffer().header();
    uint32_t seen = header.room_futex.load(std::memory_order_acquire);
    if (call_drainer()) return;
    header.room_wanted.store(1, std::memory_order_seq_cst);
    if (header.freed.load(std::memory_order_seq_cst) == freed)
        futex_wait(header.room_futex, seen, static_cast<int64_t>(short_time));
}

void Host::finish() {
    Lock lock(mutex_);
    if (!session_.is_valid()) return;
    if (!drainer_ && !session_.is_served()) {
        if (!session_.claim()) return session_.ring_doorbell();
        drainer_.emplace(session_);
    }
    if (!drainer_) return session_.ring_doorbell();
    stop_.store(1, std::memory_order_release);
    session_.ring_doorbell();
    if (has_thread_) pthread_join(thread_, nullptr);
    has_thread_ = false;
    bool empty = drainer_->finish_own();
    empty = drainer_->finish_dead() && empty;
    drainer_->resign();
    if (empty) session_.remove();
}

void Host::start_over_in_child() {
    set_clock(nullptr);
    session_.forget_lock();
    new (this) Host();
}

}  // namespace ovni
