#include "ring/posix_io.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "ring/first_root.hpp"
#include "ring/own_file.hpp"
#include "ring/signal_mask.hpp"

namespace ovni::writer {
namespace {

// The default action of SIGXFSZ would end the program.
void discard_file_size_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    timespec at_once{};
    while (sigtimedwait(&set, nullptr, &at_once) == SIGXFSZ) continue;
}

// Replaces what the file held.
bool put(OwnFile& file, const std::string& text) {
    return write_at(file.get(), text.data(), text.size(), 0) == text.size() &&
           ::ftruncate(file.get(), static_cast<off_t>(text.size())) == 0;
}

bool allocate_beyond_end(int fd, uint64_t bytes) {
    if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0) return true;
    int error = errno;
    if (error == EFBIG) discard_file_size_signal();
    errno = error;
    return false;
}

bool write_file(const std::string& path, const std::string& text) {
    OwnFile file;
    return file.open(path, O_CREAT | O_WRONLY) && put(file, text) && file.close();
}

// The file has room for it, or gets it, before its first byte changes.
bool write_over(const std::string& path, const std::string& text) {
    constexpr uint64_t block = 512;  // of st_blocks
    int error = errno;
    struct stat status {};
    OwnFile file;
    bool fits = file.open(path, O_WRONLY) && fstat(file.get(), &status) == 0 &&
                (text.size() <= block * static_cast<uint64_t>(status.st_blocks) ||
                 allocate_beyond_end(file.get(), text.size()));
    bool ok = fits && put(file, text);
    if (!ok) errno = error;
    return ok;
}

// The copy keeps its time: readers ask which file of a stream is newer.
bool copy_bytes(OwnFile& from, OwnFile& to) {
    struct stat status {};
    std::vector<char> block(size_t{64} << 10);
    for (uint64_t at = 0;;) {
        ssize_t n = ::pread(from.get(), block.data(), block.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        if (n == 0) break;
        auto count = static_cast<size_t>(n);
        if (write_at(to.get(), block.data(), count, at) < count) return false;
        at += count;
    }
    if (fstat(from.get(), &status) == 0) {
        const timespec times[] = {status.st_atim, status.st_mtim};
        futimens(to.get(), times);
    }
    return true;
}

}  // namespace

FileSizeSignalHeld::FileSizeSignalHeld() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    change_signals(SIG_BLOCK, set, &before_);
}

FileSizeSignalHeld::~FileSizeSignalHeld() {
    change_signals(SIG_SETMASK, before_);
}

size_t write_at(int fd, const void* bytes, size_t count, uint64_t offset) {
    size_t done = 0;
    while (done < count) {
        ssize_t n = ::pwrite(fd, static_cast<const char*>(bytes) + done, count - done,
                             static_cast<off_t>(offset + done));
        if (n > 0) {
            done += static_cast<size_t>(n);
        } else if (n == 0 || errno != EINTR) {
            int error = n == 0 ? EIO : errno;
            if (error == EFBIG) discard_file_size_signal();
            errno = error;
            break;
        }
    }
    return done;
}

int allocate(int fd, uint64_t bytes) {
    int error = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    if (error == EFBIG) discard_file_size_signal();
    return error;
}

bool replace_file(const std::string& path, const std::string& text) {
    constexpr int attempts = 3;  // others write such files, too, for a moment
    std::string beside = path + being_written;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        if (write_file(beside, text) && rename_from_first_root(beside.c_str(), path.c_str()) == 0)
            return true;
        int error = errno;
        ::unlink(beside.c_str());
        errno = error;
        if (write_over(path, text)) return true;
    }
    return false;
}

void reserve_file(const std::string& path, size_t bytes) {
    OwnFile file;
    if (file.open(path, O_CREAT | O_WRONLY)) allocate(file.get(), bytes);
}

std::optional<std::string> read_text(const std::string& path) {
    OwnFile file;
    if (!file.open(path, O_RDONLY)) return std::nullopt;
    struct stat status {};
    std::string text;
    if (fstat(file.get(), &status) != 0) return std::nullopt;
    for (size_t done = 0;;) {
        constexpr size_t more = 4096;
        text.resize(std::max(done + more, static_cast<size_t>(status.st_size) + 1));
        ssize_t n = ::pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return std::nullopt;
        done += static_cast<size_t>(n);
        if (n > 0) continue;
        text.resize(done);
        return text;
    }
}

bool copy_file(const std::string& from, const std::string& to) {
    OwnFile in, out;
    return in.open(from, O_RDONLY) && out.open(to, O_CREAT | O_TRUNC | O_WRONLY) && copy_bytes(in, out) &&
           out.close();
}

}  // namespace ovni::writer
