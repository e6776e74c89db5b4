#include "runtime/ring.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ovni {
namespace {

constexpr size_t bytes_before_data = Ring::header_bytes + RingHeader::nested_rings * Ring::nested_bytes;

uint8_t* map(int fd, size_t bytes) {
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return base == MAP_FAILED ? nullptr : static_cast<uint8_t*>(base);
}

}  // namespace

Ring::Ring(Ring&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Ring& Ring::operator=(Ring&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

Ring::~Ring() {
    if (base_) munmap(base_, bytes_);
}

// A tmpfs that fills up later must not end the program when it touches a page, so all are allocated here.
Ring Ring::create(const std::string& path, size_t capacity) {
    size_t bytes = bytes_before_data + capacity + slack_bytes;
    int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) return {};
    int error = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    uint8_t* base = error == 0 ? map(fd, bytes) : nullptr;
    if (error == 0 && !base) error = errno;
    ::close(fd);
    if (!base) {
        ::unlink(path.c_str());
        errno = error;
        return {};
    }
    Ring ring(base, bytes);
    ring.header().magic = RingHeader::magic_number;
    ring.header().capacity = capacity;
    ring.header().nested_capacity = nested_bytes;
    return ring;
}

Ring Ring::open(const std::string& path) {
    int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return {};
    struct stat status {};
    size_t bytes = fstat(fd, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
    uint8_t* base = bytes > bytes_before_data + slack_bytes ? map(fd, bytes) : nullptr;
    ::close(fd);
    if (!base) {
        if (bytes <= bytes_before_data + slack_bytes) errno = EINVAL;
        return {};
    }
    Ring ring(base, bytes);
    const RingHeader& header = ring.header();
    bool ours = header.magic == RingHeader::magic_number && header.nested_capacity == nested_bytes &&
                header.capacity == bytes - bytes_before_data - slack_bytes;
    if (ours) return ring;
    errno = EINVAL;
    return {};
}

void ask_for(RingHeader& ring, uint64_t position) {
    uint64_t wanted = ring.wanted.load(std::memory_order_relaxed);
    while (wanted < position &&
           !ring.wanted.compare_exchange_weak(wanted, position, std::memory_order_release)) {
    }
}

bool process_lives(pid_t pid, uint64_t start) {
    return start != 0 && start_of_process(pid) == start;
}

bool owner_lives(const RingHeader& ring) {
    return process_lives(ring.pid, ring.process_start);
}

uint64_t start_of_process(pid_t pid) {
    constexpr int state_at = 3, threads_at = 20, start_at = 22;  // fields of the file, from 1
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t length = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (length <= 0) return 0;
    text[length] = '\0';
    // The name before it may hold anything.
    const char* at = strrchr(text, ')');
    uint64_t threads = 0;
    bool is_zombie = false;
    for (int field = state_at; at && (at = strchr(at + 1, ' ')); ++field) {
        if (field == state_at) is_zombie = at[1] == 'Z' || at[1] == 'X';
        if (field == threads_at) threads = strtoull(at, nullptr, 10);
        if (field == start_at) break;
    }
    // Other threads may outlive the first one.
    return at && !(is_zombie && threads <= 1) ? strtoull(at, nullptr, 10) : 0;
}

}  // namespace ovni
