#include "drain/stream_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/crc32c.hpp"
#include "core/stream_crc.hpp"
#include "ovni.h"
#include "ovni/format.h"
#include "ovni/packed.h"
#include "ring/directories.hpp"
#include "ring/posix_io.hpp"

namespace ovni::writer {
EventSpan survey(const uint8_t* events, size_t bytes) {
    EventSpan span;
    while (span.bytes < bytes) {
        const uint8_t* event = events + span.bytes;
        uint64_t size = ovni_format_event_size(event, bytes - span.bytes);
        if (size == 0 || size > bytes - span.bytes) break;
        span.last_clock = ovni_format_clock(event);
        if (span.events++ == 0) span.first_clock = span.last_clock;
        span.bytes += size;
    }
    return span;
}

std::vector<uint8_t> whole(const EventPieces& events) {
    std::vector<uint8_t> bytes(events.first, events.first + events.first_bytes);
    bytes.insert(bytes.end(), events.second, events.second + events.second_bytes);
    return bytes;
}

// Whoever ends another stream may remove the directory between our making it and this.
bool StreamFile::make(const std::string& path) {
    constexpr int most_tries = 5;
    for (int tried = 1; !file_.open(path, O_CREAT | O_WRONLY, 0644); ++tried)
        if (errno != ENOENT || tried == most_tries || !make_directory(path.substr(0, path.rfind('/'))))
            return false;
    return true;
}

bool StreamFile::open(const std::string& path, Content content, StreamForm form, Claim claim) {
    form_ = form;
    if (content == Content::existing ? !file_.open(path, O_WRONLY) : !make(path)) return false;
    // Not all file systems have locks.
    if (claim == Claim::needed && ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
        content != Content::existing) {
        file_.close();
        errno = EWOULDBLOCK;
        return false;
    }
    if (content != Content::discard && size() >= OVNI_FORMAT_STREAM_HEADER) return true;
    // At no moment is the file without its header once it has one.
    return write_header() && ::ftruncate(file_.get(), OVNI_FORMAT_STREAM_HEADER) == 0;
}

bool StreamFile::write_header() {
    ovni_stream_header header{
        {OVNI_FORMAT_MAGIC[0], OVNI_FORMAT_MAGIC[1], OVNI_FORMAT_MAGIC[2], OVNI_FORMAT_MAGIC[3]},
        form_ == StreamForm::packed ? uint32_t{OVNI_PACKED_VERSION} : uint32_t{OVNI_FORMAT_VERSION}};
    return write_at(file_.get(), &header, sizeof header, 0) == sizeof header;
}

uint64_t StreamFile::size() {
    struct stat status {};
    return fstat(file_.get(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

// If this fails, the file is no regular file, and holds nothing to cut off.
void StreamFile::cut(uint64_t size) {
    int error = errno;
    [[maybe_unused]] int failed = ::ftruncate(file_.get(), static_cast<off_t>(size));
    errno = error;
}

bool is_disk_full(int error) {
    return error == ENOSPC || error == EDQUOT;
}

bool StreamFile::is_writable() {
    return is_open() && (size() >= OVNI_FORMAT_STREAM_HEADER || write_header());
}

size_t StreamFile::write(const EventPieces& events, uint64_t offset) {
    if (!is_writable()) return 0;
    int fd = file_.get();
    size_t written = write_at(fd, events.first, events.first_bytes, offset);
    if (written == events.first_bytes)
        written += write_at(fd, events.second, events.second_bytes, offset + written);
    if (written < events.bytes()) {
        int error = errno;
        std::vector<uint8_t> all = whole(events);
        written -= is_disk_full(error) ? std::min(written, room_beside) : 0;
        written = survey(all.data(), written).bytes;
        cut(offset + written);
        errno = error;
    }
    return written;
}

size_t StreamFile::write_block(std::span<const uint8_t> block, uint64_t offset) {
    return is_writable() ? write_at(file_.get(), block.data(), block.size(), offset) : 0;
}

bool ChecksumFile::open(const std::string& path, uint64_t end) {
    if (!file_.open(path, O_CREAT | O_RDWR, 0644)) return false;
    int fd = file_.get();
    StreamCrcRecord record;
    char magic[sizeof stream_crc_magic] = {};
    bool known = ::pread(fd, magic, sizeof magic, 0) == sizeof magic &&
                 memcmp(magic, stream_crc_magic, sizeof magic) == 0;
    size_ = sizeof magic;
    end_ = OVNI_FORMAT_STREAM_HEADER;
    while (known && end > OVNI_FORMAT_STREAM_HEADER &&
           ::pread(fd, &record, sizeof record, static_cast<off_t>(size_)) == sizeof record &&
           record.end <= end) {
        size_ += sizeof record;
        end_ = record.end;
    }
    return (known || write_at(fd, stream_crc_magic, sizeof magic, 0) == sizeof magic) &&
           ::ftruncate(fd, static_cast<off_t>(size_)) == 0;
}

bool ChecksumFile::append(const EventPieces& block, uint64_t end) {
    uint32_t crc = crc32c({block.first, block.first_bytes});
    StreamCrcRecord record{end, crc32c({block.second, block.second_bytes}, crc), 0};
    if (write_at(file_.get(), &record, sizeof record, size_) < sizeof record) return false;
    size_ += sizeof record;
    end_ = end;
    return true;
}

}  // namespace ovni::writer
