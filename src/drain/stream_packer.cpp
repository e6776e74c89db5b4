#include "drain/stream_packer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ovni::writer {

// Copies them, with a packer's slack. A program may overwrite its ring by mistake at any time, so what was
// checked has to be what is packed.
std::span<const uint8_t> StreamPacker::copy(const EventPieces& events, size_t from, size_t end) {
    const size_t count = end - from,
                 of_first = std::min(events.first_bytes - std::min(from, events.first_bytes), count);
    if (copy_.size() < count + packed::BlockPacker::slack) copy_.resize(count + packed::BlockPacker::slack);
    if (of_first > 0) std::memcpy(copy_.data(), events.first + from, of_first);
    if (of_first < count)
        std::memcpy(&copy_[of_first], events.second + (from + of_first - events.first_bytes),
                    count - of_first);
    return {copy_.data(), count};
}

// Whole events of `most` bytes in all, or a larger one.
std::span<const uint8_t> StreamPacker::next_events(const EventPieces& events, size_t from, size_t most) {
    const auto copy_at_most = [&](size_t bytes) {
        return copy(events, from, std::min(events.bytes(), from + bytes));
    };
    const std::span<const uint8_t> header = copy_at_most(OVNI_FORMAT_EVENT_MAX);
    const size_t size = ovni_format_event_size(header.data(), header.size());
    const std::span<const uint8_t> bytes = copy_at_most(std::max(size, most));
    return bytes.first(survey(bytes.data(), bytes.size()).bytes);
}

// Events that find no room as one block may do so in smaller ones.
Written StreamPacker::write(StreamFile& file, const EventPieces& events, FileEnd end, uint64_t room) {
    std::vector<Written> before;
    Written done;
    for (size_t most = packed::usual_block; done.events < events.bytes();) {
        done.is_limited = room - done.file <= OVNI_PACKED_BLOCK_HEADER || most < OVNI_FORMAT_EVENT_HEADER;
        if (done.is_limited) break;
        const std::span<const uint8_t> next = next_events(events, done.events, most);
        const packed::BlockMaker::Made made =
            next.empty() ? packed::BlockMaker::Made{} : maker_.make(next, end.stream + done.events);
        if (made.taken == 0) {
            errno = EFBIG;
            break;
        }
        const uint64_t size = made.block.size();
        if (size > room - done.file) {
            most /= 2;
            continue;
        }
        const size_t in_file = file.write_block(made.block, end.file + done.file);
        if (in_file < size) {
            const uint64_t reached = done.file + in_file;
            for (; is_disk_full(errno) && !before.empty() && reached - done.file < room_beside;
                 before.pop_back())
                done = before.back();
            file.cut(end.file + done.file);
            break;
        }
        before.push_back(done);
        done.events += made.taken;
        done.file += size;
    }
    return done;
}

std::optional<EndOfStream> find_end_of_stream(const std::string& path) {
    OwnFile file;
    struct stat status {};
    if (!file.open(path, O_RDONLY) || ::fstat(file.get(), &status) != 0) return std::nullopt;
    std::array<uint8_t, OVNI_PACKED_BLOCK_HEADER> bytes{};
    const auto read = [&](uint64_t from, size_t count) {
        return ::pread(file.get(), bytes.data(), count, static_cast<off_t>(from));
    };
    const auto size = static_cast<uint64_t>(status.st_size);
    ssize_t got = read(0, OVNI_FORMAT_STREAM_HEADER);
    if (got < 0) return std::nullopt;
    if (!packed::is_packed(std::span(bytes).first(static_cast<size_t>(got)))) {
        const uint64_t end = std::max<uint64_t>(size, OVNI_FORMAT_STREAM_HEADER);
        return EndOfStream{StreamForm::plain, {end, end}};
    }
    FileEnd end{OVNI_FORMAT_STREAM_HEADER, OVNI_FORMAT_STREAM_HEADER};
    while ((got = read(end.file, bytes.size())) == static_cast<ssize_t>(bytes.size())) {
        const auto header = packed::read_header(bytes);
        if (!header || header->offset != end.stream || packed::size_of(*header) > size - end.file) break;
        end.stream += header->events_bytes;
        end.file += packed::size_of(*header);
    }
    if (got < 0) return std::nullopt;
    return EndOfStream{StreamForm::packed, end};
}

}  // namespace ovni::writer
