// Files of the tools. Small files are read whole (large ones: file_window.hpp). An output is written next to
// its final name, so that a half-written output never looks complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace ovni {

// Makes exceeding the limit of file sizes (ulimit -f) a write error, like a full disk, instead of the end of
// the process.
void make_file_limit_an_error();

// A file descriptor that closes itself.
class Fd {
 public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(other.release()) {}
    Fd& operator=(Fd&& other) noexcept;
    ~Fd();
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release();

 private:
    int fd_ = -1;
};

// These functions throw Error with `path`; read_at() also if the file is too short. close() reports delayed
// write errors of a network file system.
void write_at(const Fd& file, uint64_t offset, std::string_view text, const std::filesystem::path& path);
void read_at(const Fd& file, uint64_t offset, std::span<uint8_t> bytes, const std::filesystem::path& path);
void close(Fd& file, const std::filesystem::path& path);

// The default limit for files that are read whole; a larger file throws Error.
inline constexpr uint64_t largest_whole_file = uint64_t{64} << 20;
std::string read_file(const std::string& path, uint64_t largest = largest_whole_file);

// Collects output for `path` in a temporary file next to it; commit() renames that to the final name. Without
// commit() the temporary file is removed, and an older complete output stays unchanged. The user's own links
// are followed. An existing path that is no regular file throws Error, because renaming would replace a
// device.
class OutputFile {
 public:
    explicit OutputFile(std::filesystem::path path);
    OutputFile(OutputFile&& other) noexcept = default;
    ~OutputFile();
    void write(std::string_view text);
    void write_at(uint64_t offset, std::string_view text);
    // `path`: another final name than the one given to the constructor.
    void commit();
    void commit_as(const std::filesystem::path& path);
    const std::filesystem::path& path() const { return path_; }
    // The final name, with links followed, and the temporary file next to it.
    const std::filesystem::path& target() const { return target_; }
    const std::filesystem::path& beside() const { return beside_; }
    // A path of the open temporary file, for libraries that open files by name. It stays valid even if
    // another user replaces the name.
    std::filesystem::path open_file() const;

 private:
    std::filesystem::path path_, target_, beside_;
    Fd fd_;
};

inline constexpr const char* foreign_link_text =
    "is a symbolic link of another user, which is not followed: remove it, or name another output";

// The target of the link `path`, or `path` if it is no link. Links of this user and of root are followed. A
// link of another user throws Error, because it might lead to a file that only this user may write.
std::filesystem::path follow_own_links(const std::filesystem::path& path);

// Makes the directory and all above it. Throws Error.
void make_directories(const std::filesystem::path& path);

// Writes `text` to a temporary file next to `path` and renames it.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace ovni
