// A shared buffer in a file, and a reader that checks what comes: records number themselves per thread and
// code, and their payload says the same in every word.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "drain/shared_reader.hpp"
#include "ring/shared_buffer.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

inline uint32_t own_pid() {
    return static_cast<uint32_t>(getpid());
}
inline uint32_t own_tid() {
    return static_cast<uint32_t>(syscall(SYS_gettid));
}

class SharedBufferTest : public ::testing::Test {
 protected:
    ~SharedBufferTest() override { unmap(memory_); }

    void make(const writer::SharedOptions& options) {
        size_t size = writer::SharedBuffer::memory_needed(options);
        int fd = ::open(file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        ASSERT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
        ::close(fd);
        memory_ = map();
        ASSERT_TRUE(buffer_.format(memory_, options));
    }
    // Another mapping of the same file.
    std::span<std::byte> map() {
        int fd = ::open(file().c_str(), O_RDWR | O_CLOEXEC);
        auto size = static_cast<size_t>(lseek(fd, 0, SEEK_END));
        void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        return {static_cast<std::byte*>(at), at == MAP_FAILED ? 0 : size};
    }
    static void unmap(std::span<std::byte> memory) {
        if (!memory.empty()) munmap(memory.data(), memory.size());
    }
    std::string file() const { return directory_.path() / "buffer"; }
    writer::SharedHeader& header() { return buffer_.header(); }

    TemporaryDirectory directory_;
    std::span<std::byte> memory_;
    writer::SharedBuffer buffer_;
};

// A numbered record carries its number, and words that follow from it.
struct Numbered {
    uint64_t number, inverse;
    explicit Numbered(uint64_t n) : number(n), inverse(~n) {}
};

inline std::vector<uint64_t> numbered_words(uint64_t number, size_t bytes) {
    std::vector<uint64_t> words(bytes / 8);
    for (size_t i = 0; i < words.size(); ++i) words[i] = i % 2 == 0 ? number : ~number;
    return words;
}

inline std::span<const uint8_t> bytes_of(const std::vector<uint64_t>& words) {
    return {reinterpret_cast<const uint8_t*>(words.data()), 8 * words.size()};
}

// Counts what arrives and what is not as it should be.
class Arrivals {
 public:
    void operator()(const writer::SharedRecord& record) {
        uint64_t number = 0;
        for (size_t i = 0; i + 8 <= record.payload.size(); i += 8) {
            uint64_t word;
            std::memcpy(&word, record.payload.data() + i, 8);
            if (i == 0) number = word;
            torn_ += word != (i / 8 % 2 == 0 ? number : ~number);
        }
        uint64_t& next = next_[{record.pid, record.tid, record.code.bits()}];
        out_of_order_ += number != next;
        next = number + 1;
        lost_before_ += record.lost_before;
        space_ += writer::space_of(writer::record_header_bytes + record.payload.size());
        ++count_;
    }
    uint64_t count_of(uint32_t pid, uint32_t tid, EventCode code) const {
        auto found = next_.find({pid, tid, code.bits()});
        return found == next_.end() ? 0 : found->second;
    }
    uint64_t count() const { return count_; }
    uint64_t space() const { return space_; }
    uint64_t lost_before() const { return lost_before_; }
    uint64_t torn() const { return torn_; }
    uint64_t out_of_order() const { return out_of_order_; }

 private:
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> next_;
    uint64_t count_ = 0, space_ = 0, lost_before_ = 0, torn_ = 0, out_of_order_ = 0;
};

}  // namespace ovni::test
