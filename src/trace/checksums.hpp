// stream.crc, the checksums of the blocks of a stream (core/stream_crc.hpp), compared while the stream is
// read: a block when its last byte has passed. Memory does not grow with the length of either file.
//
// If stream.obs is newer than stream.crc, another program has rewritten it (the reference's ovnisort, which
// keeps its size). Then the first mismatch is one warning, and the other checksums are ignored. A stream that
// has become shorter is damaged, however new it is. Any difference of the two times counts, as the writer
// appends to stream.crc after stream.obs. A writer that died in between leaves a newer stream.obs too; damage
// there is still reported, as a warning.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/file_window.hpp"

namespace ovni {

// compared_quietly: without the warning, for a second reading of a stream.
enum class Checksums : uint8_t { compared, compared_quietly, ignored };

class BlockChecker {
 public:
    // A checker for the stream in `directory`; null if it has no stream.crc. Blocks that end behind `until`
    // are not compared. Throws Error if stream.crc is no file of checksums.
    static std::unique_ptr<BlockChecker> open(const std::string& directory, Checksums checksums,
                                              uint64_t until = std::numeric_limits<uint64_t>::max());

    // The next bytes of stream.obs, first those behind its header.
    void see(std::span<const uint8_t> bytes);
    // Throws the Error of the first block that differs, named by its beginning, if `offset` in stream.obs has
    // reached the end of that block. Throws that of a damaged record of stream.crc once `offset` has reached
    // the block of the record; if the block ends behind the stream, once it has reached the stream's end.
    void check(uint64_t offset) const {
        if (fault_ && offset >= limit_) throw Error(*fault_);
    }
    // Throws that of a block that differs and begins before `offset`, whose bytes have all been seen.
    void check_blocks_before(uint64_t offset) const {
        if (fault_ && fault_->path == stream_ && fault_->offset < offset) throw Error(*fault_);
    }
    // The least offset at which check() throws.
    uint64_t limit() const { return limit_; }

    // Skips to the block that holds the byte at `offset`: see() goes on at its beginning.
    void go_to(uint64_t offset);
    // The block of the next byte; nothing behind the last block, after a fault or a warning.
    struct Block {
        uint64_t begin = 0, end = 0;  // in stream.obs
        uint32_t crc = 0;
    };
    std::optional<Block> block() const { return is_over_ ? std::nullopt : std::optional(block_); }
    uint64_t stream_size() const { return stream_size_; }

 private:
    BlockChecker(const std::string& directory, Checksums checksums, uint64_t until);
    void next_block();
    void end_block();
    void fail(uint64_t limit, Error fault);
    bool is_rewritten();

    std::string stream_;
    FileWindow records_;
    uint64_t next_record_, until_;
    uint64_t stream_size_ = 0;
    bool newer_ = false;  // stream.obs is newer than stream.crc
    Checksums checksums_;
    bool is_over_ = false;
    Block block_;
    uint64_t at_ = 0;   // offset in stream.obs of the next byte to see
    uint32_t crc_ = 0;  // of the block up to there
    uint64_t limit_ = std::numeric_limits<uint64_t>::max();
    std::optional<Error> fault_;
};

// The best explanation of a fault at a byte of stream.obs: the Error of its block if the checksum differs,
// else the fault itself. Reads the block again.
Error explained(const Error& fault);

// Reads the whole stream in `directory`; throws Error if a block differs from its checksum.
void check_stream(const std::filesystem::path& directory);

// The size of stream.obs when its last checksum was written; 0 if it has none.
uint64_t recorded_size(const std::filesystem::path& directory);

// Writes stream.crc for the stream in `directory`.
void write_checksums(const std::filesystem::path& directory);

// Writes stream.crc anew for a stream that was rewritten, if it had one.
void renew_checksums(const std::filesystem::path& directory);

}  // namespace ovni
