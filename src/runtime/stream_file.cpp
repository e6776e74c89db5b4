#include "runtime/stream_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "ovni.h"
#include "ovni/format.h"
#include "runtime/posix_io.hpp"

namespace ovni {
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

bool StreamFile::open(const std::string& path, Content content) {
    int how = O_CREAT | O_WRONLY | O_CLOEXEC | (content == Content::discard ? O_TRUNC : 0);
    fd_ = ::open(path.c_str(), how, 0644);
    if (fd_ < 0) return false;
    if (content == Content::discard) has_header_ = false;
    return has_header_ || write_header();
}

bool StreamFile::write_header() {
    ovni_stream_header header{
        {OVNI_FORMAT_MAGIC[0], OVNI_FORMAT_MAGIC[1], OVNI_FORMAT_MAGIC[2], OVNI_FORMAT_MAGIC[3]},
        OVNI_FORMAT_VERSION};
    has_header_ = write_at(fd_, &header, sizeof header, 0) == sizeof header;
    return has_header_;
}

size_t StreamFile::append(const uint8_t* events, size_t bytes) {
    if (!is_open() || (!has_header_ && !write_header())) return 0;
    size_t written = write_at(fd_, events, bytes, end_);
    if (written < bytes) {
        int error = errno;
        written = survey(events, written).bytes;
        // Where even this fails the file is no regular one, and holds nothing to cut off.
        [[maybe_unused]] int cut = ::ftruncate(fd_, static_cast<off_t>(end_ + written));
        errno = error;
    }
    end_ += written;
    return written;
}

void StreamFile::close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

}  // namespace ovni
