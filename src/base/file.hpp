// Files of the tools. Small ones are read whole (large ones: file_window.hpp). An output is written next to
// its final name, so that a half-written one never looks complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace ovni {

// From now on a limit of file sizes (ulimit -f) is an error of writing, as a full disk is, and not the end of
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

// All throw Error, which names `path`; read_at() also if the file ends before. close() reports what a network
// file system could not write.
void write_at(const Fd& file, uint64_t offset, std::string_view text, const std::filesystem::path& path);
void read_at(const Fd& file, uint64_t offset, std::span<uint8_t> bytes, const std::filesystem::path& path);
void close(Fd& file, const std::filesystem::path& path);

// Throws Error, too, if the file has more than `largest` bytes. Little of what is read whole is larger.
inline constexpr uint64_t largest_whole_file = uint64_t{64} << 20;
std::string read_file(const std::string& path, uint64_t largest = largest_whole_file);

// Collects output for `path` in a temporary file next to it; commit() gives that the final name. Without
// commit() the temporary file is removed, and an older complete output stays untouched. Links of the
// caller's own are followed. Anything that exists and is no regular file is refused, because renaming would
// replace a device.
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
    // The temporary file, whatever another user puts in its place, for libraries that open files by name.
    std::filesystem::path open_file() const;

 private:
    std::filesystem::path path_, target_, beside_;
    Fd fd_;
};

inline constexpr const char* foreign_link_text =
    "is a symbolic link of another user, which is not followed: remove it, or name another output";

// The place that links lead to, or `path` if it is none. Links of the caller and of root are followed. One of
// another user might lead to what only the caller may write: it throws Error.
std::filesystem::path follow_own_links(const std::filesystem::path& path);

// Makes the directory and all above it. Throws Error.
void make_directories(const std::filesystem::path& path);

// Writes `text` to a temporary file next to `path` and renames it.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace ovni
