// Writing bytes whole, and files in one step.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ovni::writer {

// A file size limit is also answered by a signal, which would end the program: all of this happens where that
// waits and is thrown away, inside a SlowPath or one of these.
class FileSizeSignalHeld {
 public:
    FileSizeSignalHeld();
    FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
    FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;
    ~FileSizeSignalHeld();

 private:
    sigset_t before_;
};

// How many bytes got to their place: fewer than asked with errno.
size_t write_at(int fd, const void* bytes, size_t count, uint64_t offset);

// Gives a file of that size its memory, or an error.
int allocate(int fd, uint64_t bytes);

// What a file is called while replace_file() writes it.
inline constexpr const char* being_written = ".new";

// Puts a file in place of `path` in one step; where there is no room beside it, over the old bytes if those
// have room for it. False with errno: the old file is there still.
bool replace_file(const std::string& path, const std::string& text);

// Makes a file that has room for so many bytes, if there is room.
void reserve_file(const std::string& path, size_t bytes);

// Nothing, with errno, where it cannot be read.
std::optional<std::string> read_text(const std::string& path);

bool copy_file(const std::string& from, const std::string& to);

}  // namespace ovni::writer
