// stream.obs being written: appends whole events only, so that the file is a valid stream after every call,
// whatever the disk does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ovni {

// What a run of whole events holds.
struct EventSpan {
    size_t bytes = 0;
    uint64_t events = 0;
    uint64_t first_clock = 0, last_clock = 0;
};
EventSpan survey(const uint8_t* events, size_t bytes);

class StreamFile {
 public:
    enum class Content { discard, keep };

    // In an existing directory. False with errno.
    bool open(const std::string& path, Content content);
    bool is_open() const { return fd_ >= 0; }
    // How many of the bytes are in the file now: whole events; fewer than asked with errno.
    size_t append(const uint8_t* events, size_t bytes);
    // Where the next event goes, also while there is no file yet.
    uint64_t end() const { return end_; }
    void close();

 private:
    bool write_header();

    int fd_ = -1;
    bool has_header_ = false;
    uint64_t end_ = 8;
};

}  // namespace ovni
