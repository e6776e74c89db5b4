// stream.obs and stream.crc of one stream. They are opened when needed, and may be closed between writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "drain/drained_ring.hpp"
#include "drain/stream_file.hpp"
#include "drain/stream_place.hpp"

namespace ovni::writer {

class EventFiles {
 public:
    EventFiles(DrainedRing& ring, StreamPlace& place) : ring_(ring), place_(place) {}

    // Opens stream.obs. If a living process with an equal pid has claimed the file, the stream steps aside.
    // False, after a message, if it cannot be written.
    bool open();
    std::string directory() const { return place_.directory(); }
    bool is_open() const { return events_.is_open(); }
    uint64_t size() { return events_.size(); }
    // Truncates the file to `end`, if it is open.
    void cut(uint64_t end);
    // Returns how many bytes, of whole events, were written; if fewer than requested, errno is set.
    size_t write(const EventPieces& events, uint64_t offset) {
        return open() ? events_.write(events, offset) : 0;
    }
    // Adds the checksum of a block that was written from `begin` to `end`.
    void add_checksum(const EventPieces& block, uint64_t begin, uint64_t end);

    // Closes the files.
    void rest();
    // Resets the state for another stream.
    void start_over();

 private:
    DrainedRing& ring_;
    StreamPlace& place_;
    StreamFile events_;
    ChecksumFile checksums_;
    bool lacks_checksums_ = false;
};

}  // namespace ovni::writer
