// A window that slides forwards over a file: the bytes [begin, end) are in memory, read in blocks. Made for
// thousands of open windows. A file that fits into a block takes as much memory as it has bytes, and is
// closed at once. If descriptors are scarce, larger files are opened again for every block.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/block_memory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace ovni {

class FileWindow {
 public:
    // Makes other bytes of those of a file; sizes and offsets of the window are then of these.
    class Decoder {
     public:
        Decoder() = default;
        Decoder(const Decoder&) = delete;
        Decoder& operator=(const Decoder&) = delete;
        virtual ~Decoder() = default;
        // The number of bytes before any damage that is known.
        virtual uint64_t size() const = 0;
        // Writes the bytes from `offset` on, as many as `to` has, or fewer if those behind are damaged. 0:
        // the first one is; then fault() says why.
        virtual size_t read(const Fd& file, uint64_t offset, std::span<uint8_t> to) = 0;
        // Why there are no bytes from size() on, or from where read() found none; null: the file is whole.
        virtual const Error* fault() const = 0;
    };
    // Returns null if the bytes are to stay as they are. Throws Error.
    using MakeDecoder = std::unique_ptr<Decoder> (*)(const Fd& file, uint64_t size, const std::string& path);

    // Reads the first block. Throws Error if the file is not regular or cannot be read. The number of bytes
    // read is added to `counter`, which outlives this object.
    FileWindow(std::string path, size_t block, std::atomic<uint64_t>* counter = nullptr,
               MakeDecoder make_decoder = nullptr);

    const std::string& path() const { return path_; }
    // When it was opened; less once damage was found. fault() says what ends it there; null: nothing.
    uint64_t size() const { return size_; }
    const Error* fault() const { return decoder_ ? decoder_->fault() : nullptr; }
    bool is_decoded() const { return decoder_ != nullptr; }
    uint64_t begin() const { return begin_; }
    uint64_t end() const { return end_; }
    // The number of bytes behind end() that may be read; their values are undefined.
    static constexpr size_t slack = 32;
    const uint8_t* at(uint64_t offset) const { return memory_.get() + (offset - begin_); }
    // Writable bytes of the window. Changes last as long as the bytes stay in memory.
    std::span<uint8_t> bytes(uint64_t from, uint64_t to) {
        return {memory_.get() + (from - begin_), to - from};
    }

    // Brings all bytes from `keep` (at least begin()) up to `to` (at most size()) into memory, and more if
    // there is room. Damaged bytes are none: then size() becomes end(). Bytes from `keep` on stay in the
    // window; earlier ones may be dropped, and all move. If `keep` is behind the window, the bytes between
    // are skipped. Throws Error with path and offset if the file cannot be read or has become shorter.
    void ensure(uint64_t keep, uint64_t to) {
        if (to > end_) slide(keep, to);
    }

 private:
    void slide(uint64_t keep, uint64_t to);
    void move_to(uint64_t keep, size_t capacity);
    void read_up_to(uint64_t to);
    void keep_open(Fd fd);

    std::string path_;
    std::atomic<uint64_t>* counter_;
    std::unique_ptr<Decoder> decoder_;
    BlockMemory memory_;
    size_t block_, capacity_;
    uint64_t size_ = 0, begin_ = 0, end_ = 0;
    unsigned oversized_ = 0;  // how often in a row one block would have sufficed
    Fd fd_;                   // none if the file is not kept open
};

}  // namespace ovni
