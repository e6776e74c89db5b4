#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/file_window.hpp"
#include "base/temporary_output.hpp"
#include "core/foreign_link.hpp"

namespace ovni {

void make_file_limit_an_error() {
    std::signal(SIGXFSZ, SIG_IGN);
}

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

void write_at(const Fd& file, uint64_t offset, std::string_view text, const std::filesystem::path& path) {
    while (!text.empty()) {
        ssize_t n = ::pwrite(file.get(), text.data(), text.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw system_error("cannot write", path);
        text.remove_prefix(static_cast<size_t>(n));
        offset += static_cast<uint64_t>(n);
    }
}

void read_at(const Fd& file, uint64_t offset, std::span<uint8_t> bytes, const std::filesystem::path& path) {
    while (!bytes.empty()) {
        ssize_t n = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw system_error("cannot read", path, offset);
        if (n == 0) throw Error("the file became shorter while it was read", path, offset);
        bytes = bytes.subspan(static_cast<size_t>(n));
        offset += static_cast<uint64_t>(n);
    }
}

void close(Fd& file, const std::filesystem::path& path) {
    if (::close(file.release()) != 0) throw system_error("cannot write", path);
}

std::string read_file(const std::string& path, uint64_t largest) {
    // A window reads its first block at once, and a sparse file may be far larger than the memory.
    FileWindow file(path, largest);
    if (file.size() > largest)
        throw Error(fmt::format("it has {} bytes, at most {} are read: it is no such file, or is damaged",
                                file.size(), largest),
                    path);
    return {reinterpret_cast<const char*>(file.at(0)), file.size()};
}

namespace {

// The path that a link leads to; nothing if this is no link. Throws Error for a link of another user.
std::optional<std::filesystem::path> followed(const std::filesystem::path& path) {
    const Fd link(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!link || ::fstat(link.get(), &info) != 0 || !S_ISLNK(info.st_mode)) return std::nullopt;
    if (is_foreign_link(info)) throw Error(foreign_link_text, path);
    char text[PATH_MAX];
    const ssize_t size = ::readlinkat(link.get(), "", text, sizeof text);
    if (size < 0) throw system_error("cannot read the link", path);
    return path.parent_path() / std::string_view(text, static_cast<size_t>(size));
}

// The place of a new file. Renaming refuses a directory there.
std::filesystem::path target_of(const std::filesystem::path& path) {
    std::filesystem::path target = follow_own_links(path);
    std::error_code fault;
    const auto status = std::filesystem::symlink_status(target, fault);
    const bool is_replaceable =
        std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status);
    const bool is_dangling = target != path && !std::filesystem::exists(status);
    if (is_dangling || (std::filesystem::exists(status) && !is_replaceable))
        throw Error("exists and is not a regular file", path);
    return target;
}

}  // namespace

// Whoever removes what is left over may be faster than the lock.
OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), target_(target_of(path_)) {
    if (remove_left_over(target_))
        throw Error("is written already, as another output: name another file for one of the two", path_);
    constexpr int attempts = 10;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        beside_ = temporary_name(target_);
        fd_ = make_new_file(beside_);
        if (!fd_ && errno != EEXIST) throw system_error("cannot create", path_);
        if (fd_ && hold(fd_)) return;
    }
    fd_ = Fd();
    throw Error("another program writes it at this moment: try again", path_);
}

std::filesystem::path OutputFile::open_file() const {
    std::filesystem::path open = "/proc/self/fd/" + std::to_string(fd_.get());
    return ::access(open.c_str(), W_OK) == 0 ? open : beside_;
}

OutputFile::~OutputFile() {
    if (fd_) ::unlink(beside_.c_str());
}

void OutputFile::write(std::string_view text) {
    while (!text.empty()) {
        ssize_t n = ::write(fd_.get(), text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw system_error("cannot write", path_);
        text.remove_prefix(static_cast<size_t>(n));
    }
}

void OutputFile::write_at(uint64_t offset, std::string_view text) {
    ovni::write_at(fd_, offset, text, path_);
}

void OutputFile::commit() {
    commit_as(path_);
}

void OutputFile::commit_as(const std::filesystem::path& path) {
    try {
        const Fd held(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
        close(fd_, path);
        if (::rename(beside_.c_str(), target_of(path).c_str()) != 0)
            throw system_error("cannot put the new file into its place", path);
    } catch (...) {
        ::unlink(beside_.c_str());
        throw;
    }
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

std::filesystem::path follow_own_links(const std::filesystem::path& path) {
    constexpr int most_links = 40;
    std::filesystem::path target = path;
    for (int links = 0; links < most_links; ++links) {
        const std::optional<std::filesystem::path> next = followed(target);
        if (!next) return target;
        target = *next;
    }
    throw Error("is a symbolic link that leads nowhere", path);
}

void make_directories(const std::filesystem::path& path) {
    std::error_code fault;
    std::filesystem::create_directories(path, fault);
    if (fault) throw Error("cannot make the directory: " + fault.message(), path);
}

}  // namespace ovni
