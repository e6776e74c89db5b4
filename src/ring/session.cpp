#include "ring/session.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "core/clock.hpp"
#include "core/clock_publisher.hpp"
#include "core/launcher.hpp"
#include "ring/first_root.hpp"
#include "ring/futex.hpp"
#include "ring/posix_io.hpp"

namespace ovni::writer {
namespace {

constexpr uint64_t second = 1'000'000'000;
constexpr uint64_t longest_silence = 30 * second;  // writing a block may take long
constexpr uint64_t longest_sleep = second / 4;

// A directory of this user into which no other user can write.
bool is_private(const std::string& path) {
    const PathAt at = from_first_root(path.c_str());
    struct stat status {};
    return fstatat(at.directory, at.path, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & 0077) == 0;
}

const char* variable(const char* name) {
    const char* text = secure_getenv(name);
    return text && *text ? text : nullptr;
}

bool is_in_use(const std::string& path) {
    DIR* directory = opendir(path.c_str());
    if (!directory) return true;
    bool found = false;
    while (const dirent* entry = readdir(directory)) {
        std::string name = entry->d_name;
        found = found || (name != "." && name != ".." && name != "session");
    }
    closedir(directory);
    return found;
}

}  // namespace

uint64_t monotonic_clock() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t here = static_cast<uint64_t>(now.tv_sec) * second + static_cast<uint64_t>(now.tv_nsec);
    return here - static_cast<uint64_t>(own_time_offsets().monotonic);
}

uint64_t event_clock(uint64_t monotonic, int64_t time_offset) {
    const ClockHook hook = ClockHook::from_environment();
    const uint64_t time = monotonic + static_cast<uint64_t>(time_offset);
    return hook.is_set() ? static_cast<uint64_t>(hook.apply(static_cast<int64_t>(time))) : time;
}

static std::string own_place(uint32_t choice, const std::string& trace_directory) {
    const char* temporary = variable("TMPDIR");
    const char* run = variable("OVNI_RUNDIR");
    const std::string places[session_places] = {run ? run : "", "/dev/shm", temporary ? temporary : "/tmp",
                                                trace_directory};
    const std::string& place = places[choice];
    if (place.empty() || place[0] != '/') return {};
    return place + "/ovni-" + std::to_string(geteuid());
}

std::string session_place(uint32_t choice, const std::string& trace_directory) {
    std::string own = own_place(choice, trace_directory);
    const PathAt at = from_first_root(own.c_str());
    if (own.empty() || (mkdirat(at.directory, at.path, 0700) != 0 && errno != EEXIST)) return {};
    return is_private(own) ? own : std::string();
}

static std::string session_place_if_there(uint32_t choice, const std::string& trace_directory) {
    std::string own = own_place(choice, trace_directory);
    return !own.empty() && is_private(own) ? own : std::string();
}

std::vector<std::string> in_session_places(const std::string& trace_directory) {
    std::vector<std::string> found;
    for (uint32_t choice = 0; choice < session_places; ++choice) {
        const std::string place = session_place_if_there(choice, trace_directory);
        DIR* directory = place.empty() ? nullptr : opendir(place.c_str());
        if (!directory) continue;
        while (const dirent* entry = readdir(directory)) {
            const std::string name = entry->d_name;
            if (name[0] != '.') found.push_back(place + "/" + name);
        }
        closedir(directory);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

bool is_in_session_place(const std::string& file) {
    size_t name = file.rfind('/');
    if (name == std::string::npos || file.compare(name, 5, "/new.") != 0) return false;
    std::string place = file.substr(0, name);
    return place.ends_with("/ovni-" + std::to_string(geteuid())) && is_private(place);
}

std::string launcher_rank() {
    return std::to_string(std::max(rank_by_launcher(), 0));
}

std::string session_name() {
    std::string name;
    for (const char* run : {"OVNI_RUN", "SLURM_JOB_ID", "PBS_JOBID", "OMPI_MCA_ess_base_jobid"})
        if (name.empty() && variable(run)) name = variable(run);
    for (char& letter : name)
        if (letter == '/' || letter == '.') letter = '_';
    if (name.empty()) name = "run";
    return name.substr(0, 100) + "." + launcher_rank() + "." + std::to_string(getpid());
}

Session::Session(Session&& other) noexcept
    : directory_(std::move(other.directory_)),
      header_(std::exchange(other.header_, nullptr)),
      lock_(std::move(other.lock_)) {}

Session& Session::operator=(Session&& other) noexcept {
    std::swap(directory_, other.directory_);
    std::swap(header_, other.header_);
    std::swap(lock_, other.lock_);
    return *this;
}

Session::~Session() {
    if (header_) munmap(header_, sizeof(SessionHeader));
}

Session Session::map(const std::string& directory, int flags) {
    std::string path = directory + "/session";
    OwnFile file;
    if (!file.open(path, flags | O_RDWR, 0600)) return {};
    int fd = file.get(), error = 0;
    struct stat status {};
    if (flags & O_CREAT)
        error = allocate(fd, sizeof(SessionHeader));
    else if (fstat(fd, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(SessionHeader)))
        error = EINVAL;
    void* memory =
        error ? MAP_FAILED : mmap(nullptr, sizeof(SessionHeader), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!error && memory == MAP_FAILED) error = errno;
    errno = error;
    Session session;
    if (memory == MAP_FAILED) return session;
    session.directory_ = directory;
    session.header_ = static_cast<SessionHeader*>(memory);
    return session;
}

Session Session::create(const std::string& directory) {
    const PathAt at = from_first_root(directory.c_str());
    if (mkdirat(at.directory, at.path, 0700) != 0) return {};
    Session session = map(directory, O_CREAT | O_EXCL);
    if (!session.is_valid()) {
        int error = errno;
        rmdir(directory.c_str());
        errno = error;
        return session;
    }
    SessionHeader& header = session.header();
    header.owner = own_process_id();
    header.heartbeat.store(monotonic_clock(), std::memory_order_relaxed);
    header.began = ::time(nullptr);
    header.time_offset = own_time_offsets().monotonic;
    format_clock_page(header.clock, ClockHook::from_environment());
    header.magic = SessionHeader::magic_number;
    return session;
}

Session Session::open(const std::string& directory) {
    Session session = map(directory, 0);
    if (!session.is_valid() || session.header().magic == SessionHeader::magic_number) return session;
    errno = EINVAL;
    return {};
}

bool Session::is_served() const {
    if (header_->ended.load(std::memory_order_acquire)) return false;
    uint64_t seen = header_->heartbeat.load(std::memory_order_relaxed);
    bool is_silent = monotonic_clock() > seen + longest_silence;
    return !is_silent && may_live(header_->owner);
}

// Asking the system costs as much as there are threads.
bool Session::seems_served() const {
    uint64_t seen = header_->heartbeat.load(std::memory_order_relaxed);
    bool has_passed =
        !header_->ended.load(std::memory_order_acquire) && monotonic_clock() < seen + longest_sleep;
    return has_passed || is_served();
}

bool Session::is_owned_by_this_process() const {
    return header_->owner == own_process_id();
}

void Session::ring_doorbell() const {
    header_->doorbell.fetch_add(1, std::memory_order_seq_cst);
    if (header_->asleep.load(std::memory_order_seq_cst)) futex_wake_all(header_->doorbell);
}

void Session::sleep(uint32_t heard, uint64_t nanoseconds) const {
    header_->asleep.store(1, std::memory_order_seq_cst);
    futex_wait(header_->doorbell, heard, static_cast<int64_t>(nanoseconds));
    header_->asleep.store(0, std::memory_order_relaxed);
}

// A program that has closed the descriptor has given up the lock with it.
bool Session::lock() {
    if (lock_.is_ours()) return true;
    if (lock_.open(*directory_ + "/session", O_RDWR) && flock(lock_.get(), LOCK_EX | LOCK_NB) == 0)
        return true;
    lock_.close();
    return false;
}

void Session::forget_lock() {
    lock_.close();
}

bool Session::claim() {
    if (!lock()) return false;
    header_->owner = own_process_id();
    header_->heartbeat.store(monotonic_clock(), std::memory_order_relaxed);
    header_->ended.store(0, std::memory_order_release);
    return true;
}

// Either this process sees the new ring of another one, or the other one sees the mark.
void Session::remove() const {
    header_->removed.store(1, std::memory_order_seq_cst);
    if (is_in_use(*directory_)) return header_->removed.store(0, std::memory_order_seq_cst);
    std::string session = *directory_ + "/session";
    ::unlink(session.c_str());
    ::rmdir(directory_->c_str());
}

}  // namespace ovni::writer
