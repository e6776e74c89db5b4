#include "base/file_window.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace ovni {

namespace {

// Descriptors with smaller numbers may be kept. The kernel hands out the lowest free number, so a number
// shows how many are in use. A quarter of the limit is left to the rest of the program.
rlim_t numbers_to_keep() {
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    return limit.rlim_cur - limit.rlim_cur / 4;
}

rlim_t raise_limit() {
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    return numbers_to_keep();
}

bool may_be_kept(int fd) {
    static const rlim_t without_raising = numbers_to_keep();
    if (static_cast<rlim_t>(fd) < without_raising) return true;
    static const rlim_t at_most = raise_limit();
    return static_cast<rlim_t>(fd) < at_most;
}

Fd open_to_read(const std::string& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO must not block
    if (!fd) throw system_error("cannot open", path);
    return fd;
}

}  // namespace

FileWindow::FileWindow(std::string path, size_t block, std::atomic<uint64_t>* counter,
                       MakeDecoder make_decoder)
    : path_(std::move(path)), counter_(counter), block_(block) {
    Fd fd = open_to_read(path_);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) throw system_error("cannot get the size", path_);
    if (!S_ISREG(info.st_mode)) throw Error("not a regular file", path_);
    size_ = static_cast<uint64_t>(info.st_size);
    if (make_decoder) decoder_ = make_decoder(fd, size_, path_);
    if (decoder_) size_ = decoder_->size();
    capacity_ = std::min<uint64_t>(block_, size_);
    memory_ = take_block(capacity_ + slack);
    fd_ = std::move(fd);
    read_up_to(capacity_);
    keep_open(std::move(fd_));
}

void FileWindow::keep_open(Fd fd) {
    fd_ = end_ < size_ && may_be_kept(fd.get()) ? std::move(fd) : Fd();
}

// Leaves more than half of the memory free for new bytes. Memory that grew shrinks again once a block has
// been enough for a while.
void FileWindow::slide(uint64_t keep, uint64_t to) {
    constexpr unsigned a_while = 4;
    if (keep > end_) begin_ = end_ = keep;
    uint64_t kept = end_ - keep, needed = to - keep;
    bool small = std::max(2 * kept, needed) <= block_;
    oversized_ = small && capacity_ > block_ ? oversized_ + 1 : 0;
    if (oversized_ == a_while)
        move_to(keep, block_);
    else if (2 * kept > capacity_ || needed > capacity_)
        move_to(keep, std::min(size_ - keep, std::max(2 * std::max<uint64_t>(capacity_, kept), needed)));
    else
        move_to(keep, capacity_);
    uint64_t room = small ? block_ : capacity_;
    if (!fd_) fd_ = open_to_read(path_);
    read_up_to(std::min(size_, begin_ + room));
    keep_open(std::move(fd_));
}

void FileWindow::move_to(uint64_t keep, size_t capacity) {
    if (capacity == capacity_) {
        std::memmove(memory_.get(), at(keep), end_ - keep);
    } else {
        auto memory = take_block(capacity + slack);
        std::memcpy(memory.get(), at(keep), end_ - keep);
        memory_ = std::move(memory);
        capacity_ = capacity;
    }
    begin_ = keep;
}

void FileWindow::read_up_to(uint64_t to) {
    if (end_ >= to) return;
    const uint64_t before = end_;
    if (decoder_) {
        for (size_t got = 1; got > 0 && end_ < to; end_ += got)
            got = decoder_->read(fd_, end_, bytes(end_, to));
        if (end_ < to) size_ = end_;
    } else {
        read_at(fd_, end_, bytes(end_, to), path_);
        end_ = to;
    }
    if (counter_) counter_->fetch_add(end_ - before, std::memory_order_relaxed);
}

}  // namespace ovni
