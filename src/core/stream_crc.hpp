// The layout of stream.crc, the checksums of stream.obs: 8 bytes of magic, and a record for every block of
// the stream, in their order. The first block begins behind the stream's header, every other at the end of
// its predecessor. Bytes behind the last block are not checked. Little endian.
//
// The writer appends a record after the bytes of its block. So stream.crc is older than stream.obs only if a
// block was being written, or if another program has rewritten the stream. An incomplete record is ignored. A
// writer that continues a stream first removes the records of blocks that end behind its position.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ovni {

inline constexpr const char* stream_crc_name = "stream.crc";
inline constexpr char stream_crc_magic[8] = {'o', 'v', 'n', 'i', 'c', 'r', 'c', '1'};

struct StreamCrcRecord {
    uint64_t end = 0;       // offset in stream.obs where the block ends
    uint32_t crc = 0;       // crc32c() of the bytes of the block
    uint32_t reserved = 0;  // zero
};
static_assert(sizeof(StreamCrcRecord) == 16 && std::is_trivially_copyable_v<StreamCrcRecord>);
static_assert(std::endian::native == std::endian::little);

}  // namespace ovni
