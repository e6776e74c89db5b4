// Writing bytes whole, and files in one step.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ovni::writer {

// Holds SIGXFSZ back and throws it away: a file size limit would end the program by that signal. Call what
// writes, below, inside a SlowPath or one of these.
class FileSizeSignalHeld {
 public:
    FileSizeSignalHeld();
    FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
    FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;
    ~FileSizeSignalHeld();

 private:
    sigset_t before_;
};

// Returns how many bytes were written: fewer than asked, with errno.
size_t write_at(int fd, const void* bytes, size_t count, uint64_t offset);

// Gives a file that size and its memory. Returns 0 or an error number.
int allocate(int fd, uint64_t bytes);

// The ending of a file while replace_file() writes it.
inline constexpr const char* being_written = ".new";

// Replaces `path` in one step. If there is no room for two files, overwrites the old bytes, if they suffice.
// False with errno: the old file is still there.
bool replace_file(const std::string& path, const std::string& text);

// Makes a file that has room for so many bytes, if there is room.
void reserve_file(const std::string& path, size_t bytes);

// Nothing, with errno, if it cannot be read.
std::optional<std::string> read_text(const std::string& path);

bool copy_file(const std::string& from, const std::string& to);

}  // namespace ovni::writer
