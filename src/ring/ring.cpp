#include "ring/ring.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "ring/own_file.hpp"
#include "ring/posix_io.hpp"

namespace ovni::writer {
namespace {

uint8_t* map(int fd, size_t bytes) {
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return base == MAP_FAILED ? nullptr : static_cast<uint8_t*>(base);
}

// 0: no ring is that large.
size_t capacity_of_file(size_t bytes) {
    if (bytes == Ring::file_bytes(Ring::small)) return Ring::small;
    constexpr size_t least = Ring::bytes_before_data + Ring::slack_bytes;
    return bytes > least ? bytes - least : 0;
}

}  // namespace

Ring::Ring(Ring&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}

Ring& Ring::operator=(Ring&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(capacity_, other.capacity_);
    return *this;
}

Ring::~Ring() {
    if (base_) munmap(base_, file_bytes(capacity_));
}

// A tmpfs that fills up later must not end the program when it touches a page, so all are allocated here.
Ring Ring::create(const std::string& path, size_t capacity) {
    size_t bytes = file_bytes(capacity);
    OwnFile file;
    if (!file.open(path, O_CREAT | O_EXCL | O_RDWR, 0600)) return {};
    int error = allocate(file.get(), bytes);
    uint8_t* base = error == 0 ? map(file.get(), bytes) : nullptr;
    if (error == 0 && !base) error = errno;
    if (!base) {
        ::unlink(path.c_str());
        errno = error;
        return {};
    }
    Ring ring(base, capacity);
    ring.header().magic = RingHeader::magic_number;
    ring.header().capacity = capacity;
    ring.header().nested_capacity = nested_bytes_of(capacity);
    return ring;
}

Ring Ring::open(const std::string& path) {
    OwnFile file;
    // The name may be a link: the ring lies where there was more room.
    if (!file.open(path, O_RDWR, 0, OwnFile::Links::follow)) return {};
    struct stat status {};
    size_t bytes = fstat(file.get(), &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
    size_t capacity = capacity_of_file(bytes);
    uint8_t* base = capacity > 0 ? map(file.get(), bytes) : nullptr;
    if (!base) {
        if (capacity == 0) errno = EINVAL;
        return {};
    }
    Ring ring(base, capacity);
    const RingHeader& header = ring.header();
    bool ours = header.magic == RingHeader::magic_number && header.capacity == capacity &&
                header.nested_capacity == ring.nested_capacity();
    if (ours) return ring;
    errno = EINVAL;
    return {};
}

bool Ring::is_sound() const {
    const RingHeader& h = header();
    const RingProgress& now = h.progress[h.current.load(std::memory_order_acquire) % 2];
    // No program gets so far that the next positions are small again.
    auto lies_behind = [](uint64_t to, uint64_t from, uint64_t most) {
        return from <= to && to - from <= most && to <= UINT64_MAX / 2;
    };
    bool sound = h.magic == RingHeader::magic_number && h.kept < capacity() &&
                 lies_behind(h.published.load(std::memory_order_acquire), now.drained, capacity()) &&
                 lies_behind(now.drained, now.last_block, capacity()) &&
                 h.notes_added.load(std::memory_order_acquire) - now.notes_taken <= RingHeader::most_notes;
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d)
        sound = sound && lies_behind(h.nested[d].published.load(std::memory_order_acquire),
                                     now.nested_drained[d], nested_capacity());
    return sound;
}

void ask_for(RingHeader& ring, uint64_t position) {
    uint64_t wanted = ring.wanted.load(std::memory_order_relaxed);
    while (wanted < position &&
           !ring.wanted.compare_exchange_weak(wanted, position, std::memory_order_release)) {
    }
    ring.refused.store(0, std::memory_order_release);  // it is tried once more
}

}  // namespace ovni::writer
