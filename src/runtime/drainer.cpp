#include "runtime/drainer.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "runtime/posix_io.hpp"

namespace ovni {
namespace {

constexpr size_t most_open_files = 100;
constexpr uint64_t millisecond = 1'000'000;
constexpr uint64_t shortest_sleep = millisecond, longest_sleep = 100 * millisecond;
constexpr int nice_of_drainer = 5;
constexpr uint64_t between_looks = 1000 * millisecond;  // for processes that died

std::pair<pid_t, uint64_t> process_of(const RingHeader& ring) {
    return {ring.pid, ring.process_start};
}

// A ring may lie elsewhere, where there was more room.
void remove_file(const std::string& path) {
    char target[PATH_MAX];
    ssize_t length = ::readlink(path.c_str(), target, sizeof target - 1);
    if (length > 0) {
        target[length] = '\0';
        ::unlink(target);
    }
    ::unlink(path.c_str());
}

// The thread that started us may be bound to one CPU, which is the program's.
void leave_cpu_to_program() {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), nice_of_drainer);
}

}  // namespace

// A number is given out just before its file gets the name.
void Drainer::discover() {
    uint32_t count = session_.header().rings.load(std::memory_order_acquire);
    std::erase_if(missing_, [&](uint32_t number) { return adopt(number); });
    for (; known_ < count; ++known_)
        if (!adopt(known_)) missing_.push_back(known_);
}

bool Drainer::adopt(uint32_t number) {
    Ring ring = Ring::open(session_.ring_path(number));
    if (!ring.is_mapped()) return false;
    std::shared_ptr<uint64_t>& written = written_[process_of(ring.header())];
    if (!written) written = std::make_shared<uint64_t>(0);
    rings_.push_back(
        {number, std::make_unique<DrainedStream>(std::move(ring), session_.note_path(number), written)});
    // By another drainer before us.
    *written += rings_.back().stream->written();
    return true;
}

// The owner's word that a ring has a stream, read once: what belongs to it is known before. The first thread
// after exec has the number, and so the stream, of the one before.
RingState Drainer::look_at(DrainedStream& stream) const {
    RingHeader& header = stream.header();
    RingState state = header.state.load(std::memory_order_acquire);
    bool has_stream = state == RingState::open || state == RingState::closed;
    if (has_stream && !gone_on_.empty() && gone_on_.contains(stream.place()))
        header.continues.store(1, std::memory_order_relaxed);
    return state;
}

// First, because what is closed may go on in another ring.
void Drainer::finish_closed() {
    for (Owned& ring : rings_)
        if (look_at(*ring.stream) == RingState::closed) ring.stream->finish({});
}

// Once a ring of a later image of its process is there, the threads of an image are gone.
void Drainer::finish_earlier_images() {
    if (images_seen_ == rings_.size()) return;
    images_seen_ = rings_.size();
    std::map<Process, uint64_t> latest;
    for (const Owned& ring : rings_) {
        uint64_t& image = latest[process_of(ring.stream->header())];
        image = std::max(image, ring.stream->header().image);
    }
    for (Owned& ring : rings_) {
        const RingHeader& header = ring.stream->header();
        if (header.image == latest[process_of(header)]) continue;
        ring.stream->finish({RingEnd::exec, 0});
        gone_on_.insert(ring.stream->place());
    }
}

double Drainer::pass() {
    session_.header().heartbeat.store(monotonic_clock(), std::memory_order_relaxed);
    discover();
    finish_earlier_images();
    finish_closed();
    double fullest = 0;
    for (Owned& ring : rings_) {
        if (look_at(*ring.stream) != RingState::open) continue;
        fullest = std::max(fullest, ring.stream->drain());
        if (rings_.size() > most_open_files) ring.stream->rest();
    }
    return fullest;
}

// Wakes often enough to find no ring more than a quarter full; one that is half full rings.
void Drainer::serve(const std::atomic<uint32_t>& stop) {
    leave_cpu_to_program();
    uint64_t pause = shortest_sleep;
    uint64_t looked = monotonic_clock();
    while (!stop.load(std::memory_order_acquire)) {
        uint32_t heard = session_.doorbell();
        bool wants_steps = clock_.step() != ClockStep::not_usable &&
                           session_.header().clock.state == static_cast<uint32_t>(ClockState::uncalibrated);
        double fullest = pass();
        if (uint64_t now = monotonic_clock(); now - looked > between_looks) {
            looked = now;
            finish_dead();
        }
        if (wants_steps)
            pause = shortest_sleep;
        else if (fullest > 0.25)
            pause = std::max(pause / 2, shortest_sleep);
        else if (fullest < 0.1)
            pause = std::min(pause * 2, longest_sleep);
        if (stop.load(std::memory_order_acquire)) break;
        session_.sleep(heard, pause);
    }
}

void Drainer::finish_process(pid_t pid, const OwnerEnd& end) {
    pass();
    for (Owned& ring : rings_)
        if (ring.stream->header().pid == pid && !owner_lives(ring.stream->header())) ring.stream->finish(end);
}

bool Drainer::finish_dead() {
    pass();
    std::map<Process, bool> alive;
    auto is_gone = [&](const Owned& ring) {
        auto [known, is_new] = alive.try_emplace(process_of(ring.stream->header()));
        if (is_new) known->second = owner_lives(ring.stream->header());
        return !known->second;
    };
    for (Owned& ring : rings_)
        if (is_gone(ring)) ring.stream->finish({});
    std::erase_if(rings_, [&](const Owned& ring) {
        bool gone = is_gone(ring);
        if (gone) remove(ring);
        return gone;
    });
    remove_unfinished();
    return rings_.empty();
}

// Rings whose makers died before they gave them their names.
void Drainer::remove_unfinished() const {
    DIR* directory = opendir(session_.directory().c_str());
    if (!directory) return;
    while (const dirent* entry = readdir(directory)) {
        int pid = 0;
        if (sscanf(entry->d_name, "new.%d.", &pid) == 1 && start_of_process(pid) == 0)
            remove_file(session_.directory() + "/" + entry->d_name);
    }
    closedir(directory);
}

bool Drainer::finish_own() {
    pass();
    std::erase_if(rings_, [&](const Owned& ring) {
        const RingHeader& header = ring.stream->header();
        bool mine = header.pid == getpid() && header.state.load(std::memory_order_acquire) != RingState::open;
        if (mine) remove(ring);
        return mine;
    });
    return rings_.empty();
}

void Drainer::remove(const Owned& ring) {
    remove_file(session_.ring_path(ring.number));
    std::string note = session_.note_path(ring.number);
    ::unlink(note.c_str());
    ::unlink((note + being_written).c_str());
}

}  // namespace ovni
