// The drainer's side of one ring: brings what is published into stream.obs, keeps the files beside it, and
// ends the stream when its owner has closed the ring or is dead. All that is needed to go on is in the ring,
// so another drainer may take over at any time; what it writes twice are the same bytes in the same place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/gaps.hpp"
#include "runtime/ring_block.hpp"
#include "runtime/stream_file.hpp"
#include "runtime/stream_note.hpp"

namespace ovni {

// How the owner of a ring came to its end, as far as the drainer knows.
struct OwnerEnd {
    RingEnd how = RingEnd::recovered;
    int code = 0;
};

class DrainedStream {
 public:
    // `written`: bytes of all streams of the process, for its limit.
    DrainedStream(Ring ring, std::string note_path, std::shared_ptr<uint64_t> written)
        : ring_(std::move(ring)), note_path_(std::move(note_path)), written_(std::move(written)) {}

    // Writes out what is published, if the owner allows it already, but for what is to be kept. How full the
    // ring was, 0 to 1.
    double drain();
    // The owner has closed the ring, or is gone: writes all, ends the stream. The ring is done.
    void finish(const OwnerEnd& end);

    RingHeader& header() const { return ring_.header(); }
    const Ring& ring() const { return ring_; }
    // Bytes of the stream on disk.
    uint64_t written() const { return progress().file_end; }
    // For others that go on in the same stream.
    const std::string& place();
    // A file is open; it will be opened again when needed.
    void rest() {
        file_.close();
        checksums_.close();
    }

 private:
    void start_over();
    bool prepare();
    bool open_file();
    bool is_empty() const;
    void write_until(uint64_t end, bool all);
    void write_newest(uint64_t end, bool all);
    void give_up_until(uint64_t target);
    void settle(const EventPieces& events, size_t done, const RingProgress& after);
    size_t write(const EventPieces& events, uint64_t offset);
    size_t write_to_limit(const EventPieces& events, uint64_t offset);
    void lose(const EventPieces& events, size_t done, RingProgress& after);
    void add_checksum(const EventPieces& block, uint64_t begin, uint64_t end);
    void take_notes(const RingProgress& before, uint64_t end, RingProgress& after);
    void commit(const RingProgress& after);
    const RingProgress& progress() const { return header().progress[header().current.load() % 2]; }
    uint64_t last_clock() const;
    void end_our_life(const OwnerEnd& end);
    void write_metadata(const OwnerEnd* end);
    void write_gaps();

    Ring ring_;
    std::string note_path_;
    std::shared_ptr<uint64_t> written_;
    uint32_t generation_ = 0;
    StreamNote note_;
    bool prepared_ = false;
    bool has_no_checksums_ = false;
    StreamFile file_;
    ChecksumFile checksums_;
    Gaps gaps_;
};

}  // namespace ovni
