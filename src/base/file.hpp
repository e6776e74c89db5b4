// Files of the tools: reading small ones whole (large ones: file_window.hpp), and writing beside the final
// name so that nothing half-written looks whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace ovni {

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

// All throw Error, which names `path`; read_at() also where the file ends before. close() reports what a
// network file system could not write.
void write_at(const Fd& file, uint64_t offset, std::string_view text, const std::filesystem::path& path);
void read_at(const Fd& file, uint64_t offset, std::span<uint8_t> bytes, const std::filesystem::path& path);
void close(Fd& file, const std::filesystem::path& path);

std::string read_file(const std::filesystem::path& path);

// Collects output for `path` in a file beside it, which gets the final name in commit(). Dropped without
// commit(), the file beside is removed and an older complete output stays untouched. A link is followed, and
// what exists and is no regular file is refused: renaming would replace a device.
class OutputFile {
 public:
    explicit OutputFile(std::filesystem::path path);
    OutputFile(OutputFile&& other) noexcept = default;
    ~OutputFile();
    void write(std::string_view text);
    void write_at(uint64_t offset, std::string_view text);
    // `path` is the name to take, if not the one given at the beginning.
    void commit();
    void commit_as(const std::filesystem::path& path);
    const std::filesystem::path& path() const { return path_; }
    // Where it is to go when links are followed, and the file beside that.
    const std::filesystem::path& target() const { return target_; }
    const std::filesystem::path& beside() const { return beside_; }

 private:
    std::filesystem::path path_, target_, beside_;
    Fd fd_;
};

// With all directories above it. Throws Error.
void make_directories(const std::filesystem::path& path);

// Writes the whole of `text` beside `path` and renames it.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace ovni
