// Writes events into a packed stream.obs (ovni/packed.h): whole blocks, one behind the other. A drainer has
// one packer for all its streams; from its first block on it takes some 4 MiB of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drain/stream_file.hpp"
#include "packed/block.hpp"

namespace ovni::writer {

// The place of the next event: its offset in the plain stream, and that of its block in the file.
struct FileEnd {
    uint64_t stream = 0, file = 0;
};

// The result of a call that writes whole events.
struct Written {
    size_t events = 0;        // bytes of events
    uint64_t file = 0;        // bytes of the file
    bool is_limited = false;  // there was no room for the others
};

class StreamPacker {
 public:
    // Writes these events from `end` on, and at most `room` bytes. If fewer events are written although there
    // was room, errno is set.
    Written write(StreamFile& file, const EventPieces& events, FileEnd end, uint64_t room);

 private:
    std::span<const uint8_t> next_events(const EventPieces& events, size_t from, size_t most);
    std::span<const uint8_t> copy(const EventPieces& events, size_t from, size_t end);

    packed::BlockMaker maker_;
    std::vector<uint8_t> copy_;
};

struct EndOfStream {
    StreamForm form;
    FileEnd at;  // of a packed one behind its last whole block
};
// The end of a stream with its header. Nothing, with errno, if the file cannot be read.
std::optional<EndOfStream> find_end_of_stream(const std::string& path);

}  // namespace ovni::writer
