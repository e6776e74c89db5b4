#include "runtime/host.hpp"

#include <signal.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "ring/diagnostics.hpp"
#include "ring/first_root.hpp"
#include "ring/futex.hpp"
#include "ring/library_threads.hpp"
#include "ring/signal_mask.hpp"
#include "runtime/memory.hpp"
#include "runtime/process.hpp"

namespace ovni::writer {

constinit Immortal<Host> the_host;

namespace {

// Half of the free space there, at most a sixteenth of the memory.
uint64_t room_for_rings(const std::string& directory) {
    struct statvfs file_system {};
    struct sysinfo memory {};
    uint64_t free = UINT64_MAX, installed = UINT64_MAX;
    if (statvfs(directory.c_str(), &file_system) == 0)
        free = uint64_t{file_system.f_bavail} * file_system.f_frsize / 2;
    if (sysinfo(&memory) == 0) installed = uint64_t{memory.totalram} * memory.mem_unit / 16;
    return std::min(free, installed);
}

}  // namespace

// An existing directory is from the image before exec, or from a dead process with this number.
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
    const char* given = secure_getenv("OVNI_SESSION");
    if (given && *given) session_ = Session::open(given);
    if (session_.is_valid() && !session_.is_served()) session_ = Session();
    if (!session_.is_valid() && !make_session(trace_directory)) {
        complain(Trouble::memory, "ovni", "no place for the events of threads:");
        return false;
    }
    set_clock(&session_.header().clock, session_.time_ahead());
    process().set_session(session_.header());
    if (settings_.all_rings == 0) settings_.all_rings = room_for_rings(session_.directory());
    return true;
}

void Host::give_back(RingLease ring) {
    Lock lock(mutex_);
    const bool is_done = ring.header().state.load(std::memory_order_acquire) == RingState::done;
    free_.push_back(std::move(ring));
    if (!is_done) wake();
}

// Call with the lock held.
void Host::drain_here() {
    if (has_thread_ || drainer_ || !session_.claim()) return;
    drainer_.emplace(session_);
    sigset_t before;
    change_signals(SIG_SETMASK, all_signals(), &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t{1} << 20);
    has_thread_ = pthread_create(&thread_, &attributes, drain, this) == 0;
    if (has_thread_ && await_descriptors() == Descriptors::of_drainer) session_.leave_lock_to_drainer();
    drains_inline_.store(!has_thread_, std::memory_order_release);
    pthread_attr_destroy(&attributes);
    change_signals(SIG_SETMASK, before);
}

Host::Descriptors Host::await_descriptors() {
    constexpr auto unknown = static_cast<uint32_t>(Descriptors::unknown);
    while (descriptors_.load(std::memory_order_acquire) == unknown)
        futex_wait(descriptors_, unknown, static_cast<int64_t>(short_time));
    return static_cast<Descriptors>(descriptors_.load(std::memory_order_relaxed));
}

// Nothing that the program does to its descriptors and its root reaches the files of this thread, nor the
// other way round.
void* Host::drain(void* self) {
    auto* host = static_cast<Host*>(self);
    const LibraryThread own;
    pthread_setname_np(pthread_self(), "ovni-drainer");
    part_from_root();
    bool parted = host->session_.part_from_descriptors();
    Descriptors descriptors = parted ? Descriptors::of_drainer : Descriptors::shared;
    host->descriptors_.store(static_cast<uint32_t>(descriptors), std::memory_order_release);
    futex_wake_all(host->descriptors_);
    // Its signals are blocked for good.
    own_thread_state.slow_paths = 1;
    wait_for_memory();
    host->drainer_->serve(host->stop_, program_threads_have_ended);
    const bool is_asked_to_end = host->stop_.load(std::memory_order_acquire) != 0;
    host->end_session();
    if (!is_asked_to_end) end_as_main_thread();
    return nullptr;
}

void Host::wait_until_drained(const RingLease& ring, uint64_t drained) {
    uint32_t seen = ring.header().drained_blocks.load(std::memory_order_seq_cst);
    if (ring.header().drained.load(std::memory_order_acquire) <= drained) wait_for_drainer(ring, seen);
}

// True if it came by at once.
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

void Host::wait_until_moved(int most_waits) {
    const SharedBuffer* buffer = shared();
    if (!buffer) return;
    SharedHeader& header = buffer->header();
    uint64_t position = header.reserved.load(std::memory_order_acquire);
    for (int waits = 0; waits < most_waits; ++waits) {
        uint64_t before = header.freed.load(std::memory_order_acquire);
        if (before >= position) return;
        wait_for_room(header, before);
        if (header.freed.load(std::memory_order_acquire) != before) waits = 0;
    }
}

void Host::wait_a_moment() {
    if (!session_.is_valid() || call_drainer()) return;
    std::atomic<uint32_t> never{0};
    futex_wait(never, 0, static_cast<int64_t>(short_time));
}

void Host::wait_for_room(SharedHeader& header, uint64_t freed) {
    uint32_t seen = header.room_futex.load(std::memory_order_acquire);
    if (call_drainer()) return;
    header.room_wanted.store(1, std::memory_order_seq_cst);
    if (header.freed.load(std::memory_order_seq_cst) == freed)
        futex_wait(header.room_futex, seen, static_cast<int64_t>(short_time));
}

// At the end of a process other threads go on, and exit() may have been called in a handler that interrupted
// anything. Whatever takes too long is left to ovnirecover.
void Host::finish() {
    if (uint64_t lost = lost_without_reporter_.exchange(0))
        complain(Trouble::memory, "ovni", "%lu events are lost that came when no thread had a stream", lost);
    if (!mutex_.lock_soon()) return;
    finish_locked();
    mutex_.unlock();
}

void Host::finish_locked() {
    if (!session_.is_valid()) return;
    if (!drainer_ && !session_.is_served()) {
        if (!session_.claim()) return session_.ring_doorbell();
        drainer_.emplace(session_);
    }
    if (!drainer_) return session_.ring_doorbell();
    stop_.store(1, std::memory_order_release);
    session_.ring_doorbell();
    if (has_thread_) return wait_for_thread();
    if (!inline_.lock_soon()) return;
    end_session();
    inline_.unlock();
}

void Host::wait_for_thread() {
    constexpr int64_t moment = 100'000'000;
    constexpr uint64_t longest_silence = 30'000'000'000;
    uint64_t beat = last_pass(), since = monotonic_clock();
    while (monotonic_clock() - since < longest_silence) {
        timespec until{};
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += moment;
        until.tv_sec += until.tv_nsec / 1'000'000'000;
        until.tv_nsec %= 1'000'000'000;
        if (pthread_timedjoin_np(thread_, nullptr, &until) == 0) return void(has_thread_ = false);
        if (beat != last_pass()) beat = last_pass(), since = monotonic_clock();
    }
    complain(Trouble::write, "ovni", "the events of the last moment are not written: see ovnirecover");
}

void Host::end_session() {
    bool empty = drainer_->finish_own();
    empty = drainer_->finish_dead() && empty;
    drainer_->resign();
    if (empty) session_.remove();
}

void Host::start_over_in_child() {
    set_clock(nullptr, 0);
    session_.forget_lock();
    new (this) Host();
}

}  // namespace ovni::writer
