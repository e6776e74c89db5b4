// stream.obs, plain or packed, and stream.crc of one stream. They are opened when needed, and may be closed
// between writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "drain/drained_ring.hpp"
#include "drain/stream_file.hpp"
#include "drain/stream_packer.hpp"
#include "drain/stream_place.hpp"

namespace ovni::writer {

class EventFiles {
 public:
    EventFiles(DrainedRing& ring, StreamPlace& place, StreamPacker& packer)
        : ring_(ring), place_(place), packer_(packer) {}

    // Opens stream.obs, and cuts off what lies behind the progress of the ring. If a living process with an
    // equal pid has claimed the file, the stream steps aside. False, after a message, if it cannot be
    // written.
    bool open();
    std::string directory() const { return place_.directory(); }
    bool is_open() const { return events_.is_open(); }
    // Notes the form and the end of the open file, which has events already, and cuts off a torn block.
    // False, with errno, if it cannot be read.
    bool find_end(RingProgress& now);
    // Truncates the file to `end`, if it is open.
    void cut(uint64_t end);
    // Writes whole events behind those of `now`, and at most `room` bytes. If fewer are written although
    // there was room, errno is set.
    Written write(const EventPieces& events, const RingProgress& now, uint64_t room);
    // Adds the checksum of events that were written up to `after`. Blocks of packed streams have their own.
    void add_checksum(const EventPieces& events, const RingProgress& after);

    // Closes the files.
    void rest();
    // Resets the state for another stream.
    void start_over();

 private:
    DrainedRing& ring_;
    StreamPlace& place_;
    StreamPacker& packer_;
    StreamFile events_;
    ChecksumFile checksums_;
    bool lacks_checksums_ = false;
};

}  // namespace ovni::writer
