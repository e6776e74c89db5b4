// A stream.obs that is written, plain or packed (ovni/packed.h). It gets its name when it is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "packed/block.hpp"

namespace ovni {

class StreamOutput {
 public:
    // `blocks`: makes the blocks of a packed stream, and outlives this object; null: the stream is plain.
    StreamOutput(const std::filesystem::path& directory, packed::BlockMaker* blocks);

    // The offset in the plain stream of the event that comes next.
    uint64_t offset() const { return written_ + buffer_.size(); }
    // Adds whole events. They stay in memory until flush().
    void append(std::string_view events) { buffer_ += events; }
    // True if flush() is worth its cost.
    bool is_full() const { return buffer_.size() > most_buffered; }
    void flush() { flush(packed::usual_block); }
    void commit();

 private:
    static constexpr size_t most_buffered = size_t{1} << 20;

    void flush(size_t least);
    void write_blocks(size_t least);

    OutputFile file_;
    packed::BlockMaker* blocks_;
    std::string buffer_;
    uint64_t written_ = 0;  // of the plain stream
};

}  // namespace ovni
