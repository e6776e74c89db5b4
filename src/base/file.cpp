#include "base/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.hpp"

namespace ovni {

Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        if (fd_ >= 0) ::close(fd_);
        fd_ = other.release();
    }
    return *this;
}

Fd::~Fd() {
    if (fd_ >= 0) ::close(fd_);
}

int Fd::release() {
    return std::exchange(fd_, -1);
}

MappedFile::MappedFile(const std::filesystem::path& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO must not block
    if (!fd) throw system_error("cannot open", path);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) throw system_error("cannot get the size", path);
    if (!S_ISREG(info.st_mode)) throw Error("not a regular file", path);
    auto size = static_cast<size_t>(info.st_size);
    if (size == 0) return;
    void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (at == MAP_FAILED) throw system_error("cannot map", path);
    ::madvise(at, size, MADV_SEQUENTIAL);
    bytes_ = {static_cast<const uint8_t*>(at), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

std::string read_file(const std::filesystem::path& path) {
    MappedFile file(path);
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), beside_(path_) {
    beside_ += ".tmp." + std::to_string(::getpid());
    fd_ = Fd(::open(beside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd_) throw system_error("cannot create", beside_);
}

OutputFile::~OutputFile() {
    if (fd_) ::unlink(beside_.c_str());
}

void OutputFile::write(std::string_view text) {
    while (!text.empty()) {
        ssize_t n = ::write(fd_.get(), text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw system_error("cannot write", beside_);
        text.remove_prefix(static_cast<size_t>(n));
    }
}

void OutputFile::write_at(uint64_t offset, std::string_view text) {
    while (!text.empty()) {
        ssize_t n = ::pwrite(fd_.get(), text.data(), text.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw system_error("cannot write", beside_);
        text.remove_prefix(static_cast<size_t>(n));
        offset += static_cast<uint64_t>(n);
    }
}

void OutputFile::commit() {
    commit_as(path_);
}

void OutputFile::commit_as(const std::filesystem::path& path) {
    // close() reports what a network file system could not write.
    bool closed = ::close(fd_.release()) == 0;
    if (closed && ::rename(beside_.c_str(), path.c_str()) == 0) return;
    Error error = closed ? system_error("cannot rename " + beside_.string(), path)
                         : system_error("cannot write", beside_);
    ::unlink(beside_.c_str());
    throw error;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace ovni
