#include "drain/drainer.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>

#include "ring/posix_io.hpp"

namespace ovni::writer {
namespace {

constexpr size_t most_open_streams = 100;
constexpr size_t most_missing = 1000;  // more of them are no accident: the header is damaged
constexpr uint64_t millisecond = 1'000'000;
constexpr uint64_t shortest_sleep = millisecond, longest_sleep = 100 * millisecond;
constexpr int nice_of_drainer = 5;
constexpr uint64_t between_looks = 200 * millisecond;  // for processes that died

// Empty if the name is no link. A ring lies elsewhere if there was more room.
std::string target_of_link(const std::string& path) {
    char target[PATH_MAX];
    ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    return {target, static_cast<size_t>(std::max<ssize_t>(length, 0))};
}

// A link to anything but a ring is only removed.
void remove_file(const std::string& path) {
    std::string target = target_of_link(path);
    if (is_in_session_place(target)) ::unlink(target.c_str());
    ::unlink(path.c_str());
}

// True for the first name of a ring whose maker is dead.
bool is_of_dead_process(const char* name) {
    int pid = 0;
    unsigned long space = 0;
    return sscanf(name, "new.%d.%lu.", &pid, &space) == 2 && !may_live({pid, 0, space});
}

bool is_missing(int result) {
    return result != 0 && errno == ENOENT;
}

// True for a ring or its note if a drainer died while it removed the two: the ring first, and the target of a
// link before the link.
bool is_left_of_ring(const std::string& path, const std::string& ring) {
    struct stat status {};
    if (path != ring) return is_missing(::lstat(ring.c_str(), &status));
    std::string target = target_of_link(ring);
    return is_missing(::stat(ring.c_str(), &status)) &&
           is_of_dead_process(target.c_str() + target.rfind('/') + 1);
}

// The thread that started us may be bound to one CPU, which is the program's.
void leave_cpu_to_program() {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    auto thread = static_cast<id_t>(syscall(SYS_gettid));
    setpriority(PRIO_PROCESS, thread, std::max(getpriority(PRIO_PROCESS, thread), nice_of_drainer));
}

// Each stream has two files; some more are needed.
size_t most_streams_with_files() {
    constexpr rlim_t beside = 16;
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
    return static_cast<size_t>(
        std::min<rlim_t>((files.rlim_cur - std::min(beside, files.rlim_cur)) / 4, most_open_streams));
}

RingState state_of(const DrainedStream& stream) {
    return stream.header().state.load(std::memory_order_acquire);
}

}  // namespace

// A number is given out just before its file gets the name.
void Drainer::discover() {
    uint32_t count = session_.header().rings.load(std::memory_order_acquire);
    std::erase_if(missing_, [&](uint32_t number) { return adopt(number); });
    for (; known_ < count && missing_.size() < most_missing; ++known_)
        if (!adopt(known_)) missing_.push_back(known_);
}

bool Drainer::adopt(uint32_t number) {
    return adopt_ring(number) || adopt_shared(number);
}

bool Drainer::adopt_ring(uint32_t number) {
    Ring ring = Ring::open(session_.ring_path(number));
    if (!ring.is_mapped()) return false;
    std::shared_ptr<uint64_t>& written = written_[owner_of(ring.header())];
    if (!written) written = std::make_shared<uint64_t>(0);
    rings_.push_back({number, std::make_unique<DrainedStream>(std::move(ring), session_.note_path(number),
                                                              written, ended_, packer_)});
    has_new_rings_ = true;
    // Bytes that an earlier drainer wrote.
    *written += rings_.back().stream->written();
    return true;
}

// Order is that of opening: a later ring may go on with the stream of an earlier one. A ring of that stream
// that was opened before a closed one is closed, too, but perhaps not at the first look.
std::vector<Drainer::Owned*> Drainer::closed_in_order() {
    uint64_t last = 0;
    auto opened = [](const Owned& ring) { return ring.stream->header().opened.load(); };
    for (const Owned& ring : rings_)
        if (state_of(*ring.stream) == RingState::closed) last = std::max(last, opened(ring));
    std::vector<Owned*> closed;
    for (Owned& ring : rings_)
        if (state_of(*ring.stream) == RingState::closed && opened(ring) <= last) closed.push_back(&ring);
    std::ranges::sort(closed, {}, [&](const Owned* ring) { return opened(*ring); });
    return closed;
}

// Comes first: a closed stream may go on in another ring. False if one still waits for events.
bool Drainer::finish_closed() {
    bool are_finished = true;
    for (Owned* owned : closed_in_order()) {
        Owned& ring = *owned;
        if (ring.stream->is_stuck()) continue;
        Mover* mover = mover_of(ring.stream->header());
        if (mover && !mover->has_moved_all_of(ring.stream->header())) {
            are_finished = false;
            continue;
        }
        if (mover) mover->close(*ring.stream, ring.number);
        ring.stream->finish({});
    }
    return are_finished;
}

// Once a ring of a later image of its process is there, the threads of an image are gone.
void Drainer::finish_earlier_images() {
    if (!std::exchange(has_new_rings_, false)) return;
    std::map<Process, uint64_t> latest;
    for (const Owned& ring : rings_) {
        uint64_t& image = latest[owner_of(ring.stream->header())];
        image = std::max(image, ring.stream->header().image);
    }
    empty_shared([&](const SharedFileHeader& shared) {
        auto found = latest.find(shared.process());
        return found != latest.end() && shared.image < found->second;
    });
    for (Owned& ring : rings_) {
        const RingHeader& header = ring.stream->header();
        auto found = latest.find(owner_of(header));
        if (found == latest.end() || header.image >= found->second) continue;
        ring.stream->finish({RingEnd::exec, 0});
    }
}

double Drainer::pass(Patience patience) {
    session_.header().heartbeat.store(monotonic_clock(), std::memory_order_relaxed);
    double fullest = 0;
    for (const Shared& shared : shared_) fullest = std::max(fullest, shared.mover->look());
    discover();
    finish_earlier_images();
    for (const Shared& shared : shared_) shared.mover->move();
    // Read once, and before: what they may go on with is closed already, and finished then.
    std::vector<Owned*> open;
    for (Owned& owned : rings_)
        if (state_of(*owned.stream) == RingState::open) open.push_back(&owned);
    bool are_finished = finish_closed();
    const size_t most_open = most_streams_with_files();
    for (Owned* owned : open) {
        const Owned& ring = *owned;
        if (state_of(*ring.stream) != RingState::open) continue;
        if (!are_finished && !ring.stream->has_begun()) continue;
        fullest = std::max(fullest, ring.stream->drain(patience));
        if (rings_.size() > most_open) ring.stream->rest();
    }
    return fullest;
}

// Wakes often enough to find no ring more than a quarter full; one that is half full rings.
void Drainer::serve(const std::atomic<uint32_t>& stop, bool (*is_over)() noexcept) {
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
            if (is_over && is_over()) break;
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

// A ring that its owner did not close.
void Drainer::end(const Owned& ring, const OwnerEnd& end) {
    if (Mover* mover = mover_of(ring.stream->header())) mover->close(*ring.stream, ring.number);
    ring.stream->finish(end);
}

// The exact time is unknown. The previous drainer is assumed to have died with its program.
uint64_t Drainer::death_of(const Process& process) const {
    return event_clock(seen_alive_.contains(process) ? monotonic_clock() : last_service_,
                       session_.header().time_offset);
}

// The caller saw the process of that number end, so a doubt means that it is this one.
void Drainer::finish_process(pid_t pid, const OwnerEnd& end) {
    pass();
    auto has_ended = [&](const ProcessId& process) {
        const uint64_t here = own_process_id().space;
        const bool may_be_it = process.space == here || process.space == 0 || here == 0;
        return process.pid == pid && !lives(process).value_or(!may_be_it);
    };
    empty_shared([&](const SharedFileHeader& shared) { return has_ended(shared.process()); });
    finish_earlier_images();
    finish_closed();
    for (Owned& ring : rings_)
        if (has_ended(owner_of(ring.stream->header()))) this->end(ring, end);
}

// The process goes on as another program, which may outlive all that is traced. An exec that fails keeps the
// ring. What comes through a shared buffer may not be in its ring yet.
bool Drainer::is_left_by_exec(const Owned& ring) const {
    const RingHeader& header = ring.stream->header();
    struct stat status {};
    return header.end.load(std::memory_order_acquire) == RingEnd::exec && header.shared.load() == 0 &&
           ::stat(session_.ring_path(ring.number).c_str(), &status) == 0 &&
           !may_map(owner_of(header), status.st_ino) && is_empty(header);
}

bool Drainer::finish_dead() {
    pass();
    std::map<Process, bool> alive;
    auto has_died = [&](const Process& process) {
        auto [known, is_new] = alive.try_emplace(process);
        if (is_new) known->second = may_live(process);
        if (is_new && known->second) seen_alive_.insert(process);
        return !known->second;
    };
    auto is_gone = [&](const Owned& ring) { return has_died(owner_of(ring.stream->header())); };
    empty_shared([&](const SharedFileHeader& shared) { return has_died(shared.process()); });
    finish_earlier_images();
    finish_closed();
    for (Owned& ring : rings_)
        if (is_gone(ring) || ring.stream->is_stuck())
            end(ring, {RingEnd::recovered, 0, death_of(owner_of(ring.stream->header()))});
    std::erase_if(rings_, [&](const Owned& ring) {
        bool gone = (is_gone(ring) && !ring.stream->is_stuck()) || is_left_by_exec(ring);
        if (gone) remove(ring);
        return gone;
    });
    remove_shared([&](const SharedFileHeader& shared) { return has_died(shared.process()); });
    remove_unfinished();
    return rings_.empty();
}

size_t Drainer::doubtful() const {
    std::set<ProcessId> owners;
    for (const Owned& ring : rings_)
        if (!is_over(ring.stream->header()) && !lives(owner_of(ring.stream->header())))
            owners.insert(owner_of(ring.stream->header()));
    return owners.size();
}

size_t Drainer::stuck() const {
    auto is_stuck = [](const Owned& ring) { return ring.stream->is_stuck(); };
    return static_cast<size_t>(std::ranges::count_if(rings_, is_stuck));
}

// Rings whose makers died before they gave them their names, and what is left of rings.
void Drainer::remove_unfinished() const {
    DIR* directory = opendir(session_.directory().c_str());
    if (!directory) return;
    while (const dirent* entry = readdir(directory)) {
        uint32_t number = 0;
        std::string path = session_.directory() + "/" + entry->d_name;
        if (is_of_dead_process(entry->d_name)) remove_file(path);
        bool is_of_ring = sscanf(entry->d_name, "ring.%u", &number) == 1;
        if (is_of_ring && is_left_of_ring(path, session_.ring_path(number))) ::unlink(path.c_str());
    }
    closedir(directory);
}

// Processes of other namespaces may have the same number. What is unknown may be equal.
static bool may_be(const ProcessId& self, const ProcessId& other) {
    auto may_equal = [](uint64_t a, uint64_t b) { return a == 0 || b == 0 || a == b; };
    return self.pid == other.pid && may_equal(self.start, other.start) && may_equal(self.space, other.space);
}

// A thread may be in the middle of an emission, or for ever: we may stand in a handler that interrupted it.
bool Drainer::finish_own() {
    constexpr int longest_wait = 100;  // ms
    const ProcessId self = own_process_id();
    auto mine = [&](const SharedFileHeader& shared) { return may_be(self, shared.process()); };
    auto is_waiting = [&](const Shared& shared) {
        return mine(shared.mover->owner()) && !shared.mover->is_done();
    };
    pass();
    for (int waited = 0; waited < longest_wait && std::ranges::any_of(shared_, is_waiting); ++waited) {
        session_.sleep(session_.doorbell(), millisecond);
        pass();
    }
    empty_shared(mine);
    pass();
    // Threads may emit until the process has ended; their events from here on are dropped.
    for (const Owned& ring : rings_)
        if (may_be(self, owner_of(ring.stream->header())) && state_of(*ring.stream) == RingState::open)
            end(ring,
                {RingEnd::recovered, 0, event_clock(monotonic_clock(), ring.stream->header().time_offset)});
    remove_shared(mine);
    std::erase_if(rings_, [&](const Owned& ring) {
        const RingHeader& header = ring.stream->header();
        bool is_mine =
            may_be(self, owner_of(header)) && header.state.load(std::memory_order_acquire) != RingState::open;
        if (is_mine) remove(ring);
        return is_mine;
    });
    return rings_.empty();
}

// The ring goes last, as the next drainer finds the other files by it.
void Drainer::remove(const Owned& ring) {
    std::string note = session_.note_path(ring.number);
    ::unlink((note + being_written).c_str());
    ::unlink(note.c_str());
    remove_file(session_.ring_path(ring.number));
}

}  // namespace ovni::writer
