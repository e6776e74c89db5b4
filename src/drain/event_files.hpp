// stream.obs and stream.crc of one stream. They are opened when they are needed, and may rest meanwhile.
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

    // Opens stream.obs. A file that a living process of the same number has claimed is left to it: the stream
    // steps aside. False, after a message, if it cannot be written.
    bool open();
    std::string directory() const { return place_.directory(); }
    bool is_open() const { return events_.is_open(); }
    uint64_t size() { return events_.size(); }
    // Removes what lies behind `end`, if the file is open.
    void cut(uint64_t end);
    // Returns how many bytes got there: whole events. Fewer than asked with errno.
    size_t write(const EventPieces& events, uint64_t offset) {
        return open() ? events_.write(events, offset) : 0;
    }
    // The block lies in the stream from `begin` to `end` now.
    void add_checksum(const EventPieces& block, uint64_t begin, uint64_t end);

    // Closes the files.
    void rest();
    // Another stream comes.
    void start_over();

 private:
    DrainedRing& ring_;
    StreamPlace& place_;
    StreamFile events_;
    ChecksumFile checksums_;
    bool lacks_checksums_ = false;
};

}  // namespace ovni::writer
