// Writes stream.obs: appends only whole events or blocks, so that the file is a valid stream after every
// call, even if writing fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ring/own_file.hpp"
#include "ring/stream_form.hpp"

namespace ovni::writer {

// The contents of a run of whole events.
struct EventSpan {
    size_t bytes = 0;
    uint64_t events = 0;
    uint64_t first_clock = 0, last_clock = 0;
};
EventSpan survey(const uint8_t* events, size_t bytes);

// Bytes of whole events, which may lie in two places.
struct EventPieces {
    const uint8_t* first = nullptr;
    size_t first_bytes = 0;
    const uint8_t* second = nullptr;
    size_t second_bytes = 0;
    size_t bytes() const { return first_bytes + second_bytes; }
};
// A copy in one place.
std::vector<uint8_t> whole(const EventPieces& events);

// stream.crc: grows by a record for every block of the stream.
class ChecksumFile {
 public:
    // Cuts off records beyond `end`, the end of the stream. False with errno.
    bool open(const std::string& path, uint64_t end);
    bool is_open() const { return file_.is_open(); }
    // The end of the last block in the stream; the end of the header if there is none.
    uint64_t end() const { return end_; }
    bool append(const EventPieces& block, uint64_t end);
    void close() { file_.close(); }

 private:
    OwnFile file_;
    uint64_t size_ = 0, end_ = 0;
};

// On a full disk there must be room to record in the other files what is lost.
inline constexpr size_t room_beside = 16384;
// True if a write failed with this error because the disk is full.
bool is_disk_full(int error);

class StreamFile {
 public:
    // existing: the file is kept, and not created if missing.
    enum class Content { discard, keep, existing };

    // needed: fails with EWOULDBLOCK if another process has claimed the file and not closed it.
    enum class Claim { none, needed };

    // Makes the directory, too, if the file may be made. False with errno. `form`: of a file that begins.
    bool open(const std::string& path, Content content, StreamForm form, Claim claim = Claim::none);
    bool is_open() const { return file_.is_open(); }
    // Writes whole events at `offset`. Returns how many bytes are in the file: fewer than asked with errno.
    size_t write(const EventPieces& events, uint64_t offset);
    // Writes a block of a packed stream. Returns how many bytes of it are in the file: if not all, with
    // errno, cut them off.
    size_t write_block(std::span<const uint8_t> block, uint64_t offset);
    // Bytes of the file; 0: unknown.
    uint64_t size();
    void cut(uint64_t size);
    void close() { file_.close(); }

 private:
    bool make(const std::string& path);
    bool is_writable();
    bool write_header();

    OwnFile file_;
    StreamForm form_ = StreamForm::plain;
};

}  // namespace ovni::writer
