// Writing bytes whole, and files in one step.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ovni::writer {

// Blocks and discards SIGXFSZ, by which a file size limit would end the program. Call the writing functions
// below inside a SlowPath or while one of these objects lives.
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

// Sets the size of a file and allocates its space. Returns 0 or an error number.
int allocate(int fd, uint64_t bytes);

// The suffix of the file's name while replace_file() writes it.
inline constexpr const char* being_written = ".new";

// Replaces `path` in one step. If there is no room for two files, overwrites the old bytes, if they suffice.
// False with errno: the old file is still there.
bool replace_file(const std::string& path, const std::string& text);

// Makes a file with space for `bytes`, if there is room.
void reserve_file(const std::string& path, size_t bytes);

// Nothing, with errno, if it cannot be read.
std::optional<std::string> read_text(const std::string& path);

bool copy_file(const std::string& from, const std::string& to);

}  // namespace ovni::writer
