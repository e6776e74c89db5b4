// The file of a shared buffer in the run directory: a header that names the process, then the buffer
// (shared_layout.hpp).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "ring/process_life.hpp"
#include "ring/shared_buffer.hpp"

namespace ovni::writer {

// The process, as in RingHeader.
struct SharedFileHeader {
    static constexpr uint64_t magic_number = 0x32726873696e766f;  // "ovnishr2"

    uint64_t magic;
    uint64_t process_start;
    uint64_t image;
    uint64_t pid_space;
    int32_t pid;

    ProcessId process() const { return {pid, process_start, pid_space}; }
};

class SharedFile {
 public:
    static constexpr size_t header_bytes = 4096;

    SharedFile() = default;
    SharedFile(SharedFile&& other) noexcept;
    SharedFile& operator=(SharedFile&& other) noexcept;
    ~SharedFile();

    // Makes and maps a file of this process with all its memory allocated. Not mapped, with errno, if there
    // is no room.
    static SharedFile create(const std::string& path, const SharedOptions& options, uint64_t image);
    // Not mapped, with errno, if it is no shared buffer of this version.
    static SharedFile open(const std::string& path);

    bool is_mapped() const { return base_ != nullptr; }
    const SharedFileHeader& header() const { return *reinterpret_cast<SharedFileHeader*>(base_); }
    const SharedBuffer& buffer() const { return buffer_; }

 private:
    bool map(int fd, size_t bytes);
    std::span<std::byte> memory() const { return {base_ + header_bytes, bytes_ - header_bytes}; }

    std::byte* base_ = nullptr;
    size_t bytes_ = 0;
    SharedBuffer buffer_;
};

}  // namespace ovni::writer
