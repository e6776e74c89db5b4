#include "ring/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "ring/own_file.hpp"
#include "ring/posix_io.hpp"
#include "ring/ring.hpp"

namespace ovni::writer {

SharedFile::SharedFile(SharedFile&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      buffer_(other.buffer_) {}

SharedFile& SharedFile::operator=(SharedFile&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    std::swap(buffer_, other.buffer_);
    return *this;
}

SharedFile::~SharedFile() {
    if (base_) munmap(base_, bytes_);
}

bool SharedFile::map(int fd, size_t bytes) {
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED) return false;
    base_ = static_cast<std::byte*>(base);
    bytes_ = bytes;
    return true;
}

SharedFile SharedFile::create(const std::string& path, const SharedOptions& options, uint64_t image) {
    SharedFile file;
    size_t bytes = header_bytes + SharedBuffer::memory_needed(options);
    OwnFile opened;
    if (!opened.open(path, O_CREAT | O_EXCL | O_RDWR, 0600)) return file;
    int error = allocate(opened.get(), bytes);
    if (error == 0 && !file.map(opened.get(), bytes)) error = errno;
    if (error != 0) {
        ::unlink(path.c_str());
        errno = error;
        return {};
    }
    auto& header = *reinterpret_cast<SharedFileHeader*>(file.base_);
    header = {SharedFileHeader::magic_number, start_of_process(getpid()), image, pid_space(), getpid()};
    file.buffer_.format(file.memory(), options);
    return file;
}

SharedFile SharedFile::open(const std::string& path) {
    SharedFile file;
    OwnFile opened;
    if (!opened.open(path, O_RDWR)) return file;
    struct stat status {};
    size_t bytes = fstat(opened.get(), &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
    bool mapped = bytes > header_bytes && file.map(opened.get(), bytes);
    bool ours =
        mapped && file.header().magic == SharedFileHeader::magic_number && file.buffer_.attach(file.memory());
    if (ours) return file;
    errno = EINVAL;
    return {};
}

}  // namespace ovni::writer
