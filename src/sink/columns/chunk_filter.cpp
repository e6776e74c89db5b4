#include "sink/columns/chunk_filter.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <new>

namespace ovni {

namespace {

constexpr size_t word_bytes = 8;

using Block = std::array<uint64_t, word_bytes>;

// Bytes j of words 0 to 7 become word j: three rounds that exchange ever larger squares across the diagonal.
template <size_t step, uint64_t kept>
[[gnu::always_inline]] inline void exchange_squares(Block& block) {
    constexpr unsigned shift = 8 * step;
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; ++i) {
        if (i & step) continue;
        uint64_t x = block[i], y = block[i + step];
        block[i] = (x & kept) | (y & kept) << shift;
        block[i + step] = (x >> shift & kept) | (y & ~kept);
    }
}
[[gnu::always_inline]] inline void transpose(Block& block) {
    exchange_squares<1, 0x00ff00ff00ff00ff>(block);
    exchange_squares<2, 0x0000ffff0000ffff>(block);
    exchange_squares<4, 0x00000000ffffffff>(block);
}

constexpr uint32_t no_bytes = 1;  // their checksum, from which others go on

struct Way {
    int level, strategy;
};
constexpr Way stored{0, Z_DEFAULT_STRATEGY}, runs{1, Z_RLE}, letters{1, Z_HUFFMAN_ONLY};

// A sample decides: neighbours that are equal make runs, and what has no pattern is not worth the time.
Way suited(std::span<const uint8_t> plane) {
    constexpr size_t samples = 1024, group = 4;
    constexpr double many_equal = 0.9, worth_bits = 2;
    const size_t step = std::max(plane.size() / samples, group);
    std::array<uint32_t, 256> count{};
    uint32_t seen = 0, pairs = 0, equal = 0;
    for (size_t at = 0; at + group <= plane.size(); at += step) {
        for (size_t i = 0; i < group; ++i) ++count[plane[at + i]], ++seen;
        for (size_t i = 1; i < group; ++i) ++pairs, equal += plane[at + i] == plane[at + i - 1];
    }
    if (seen == 0 || equal > many_equal * pairs) return runs;
    double bits = 0;
    for (uint32_t n : count)
        if (n > 0) bits -= n * std::log2(static_cast<double>(n) / seen);
    return bits > worth_bits * seen ? stored : letters;
}

}  // namespace

// There is no header, as pieces that end at a byte can stand one behind the other.
ChunkFilter::ChunkFilter() {
    constexpr int raw = -15, memory = 8;
    if (deflateInit2(&stream_, level, Z_DEFLATED, raw, memory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
}
ChunkFilter::~ChunkFilter() {
    deflateEnd(&stream_);
}

void ChunkFilter::shuffle(const uint8_t* bytes, size_t n, size_t row_bytes) {
    const size_t words_in_row = row_bytes / word_bytes;
    planes_.resize(n * row_bytes);
    for (size_t w = 0; w < words_in_row; ++w) {
        const uint8_t* word = bytes + w * word_bytes;
        uint8_t* planes = planes_.data() + w * word_bytes * n;
        Block block{};
        size_t r = 0;
        for (; r + block.size() <= n; r += block.size()) {
#pragma GCC unroll 8
            for (size_t i = 0; i < 8; ++i) std::memcpy(&block[i], word + (r + i) * row_bytes, word_bytes);
            transpose(block);
#pragma GCC unroll 8
            for (size_t j = 0; j < 8; ++j) std::memcpy(planes + j * n + r, &block[j], word_bytes);
        }
        for (; r < n; ++r)
            for (size_t j = 0; j < word_bytes; ++j) planes[j * n + r] = word[r * row_bytes + j];
    }
}

// Appended to what is there, to the end of a byte and without a look at what was before.
void ChunkFilter::deflate_plane(std::span<const uint8_t> plane) {
    Way way = suited(plane);
    const size_t before = deflated_.size();
    deflateReset(&stream_);
    deflateParams(&stream_, way.level, way.strategy);
    constexpr size_t end_of_piece = 64;
    deflated_.resize(before + deflateBound(&stream_, plane.size()) + end_of_piece);
    stream_.next_in = const_cast<uint8_t*>(plane.data());
    stream_.avail_in = static_cast<uInt>(plane.size());
    stream_.next_out = deflated_.data() + before;
    stream_.avail_out = static_cast<uInt>(deflated_.size() - before);
    deflate(&stream_, Z_FULL_FLUSH);
    deflated_.resize(deflated_.size() - stream_.avail_out);
}

const ChunkFilter::Constant& ChunkFilter::constant(uint8_t byte, size_t count) {
    if (count != constant_count_) constants_ = {};
    constant_count_ = count;
    Constant& constant = constants_[byte];
    if (!constant.deflated.empty()) return constant;
    std::vector<uint8_t> plane(count, byte);
    std::vector<uint8_t> kept;
    std::swap(kept, deflated_);
    deflate_plane(plane);
    constant = {deflated_, libdeflate_adler32(no_bytes, plane.data(), count)};
    std::swap(kept, deflated_);
    return constant;
}

std::span<const uint8_t> ChunkFilter::apply(const uint8_t* rows, size_t count, size_t row_bytes) {
    shuffle(rows, count, row_bytes);
    return deflate_planes(row_bytes);
}

std::span<const uint8_t> ChunkFilter::deflate_planes(size_t planes) {
    constexpr std::array<uint8_t, 2> header = {0x78, 0x01};         // deflate, its fastest level
    constexpr std::array<uint8_t, 2> end_of_blocks = {0x03, 0x00};  // a last one, which is empty
    deflated_.assign(header.begin(), header.end());
    uLong checksum = no_bytes;
    const size_t n = planes_.size() / planes;
    for (size_t p = 0; p < planes; ++p) {
        std::span plane = std::span<const uint8_t>(planes_).subspan(p * n, n);
        if (std::memcmp(plane.data(), plane.data() + 1, n - 1) == 0) {
            const Constant& same = constant(plane[0], n);
            deflated_.insert(deflated_.end(), same.deflated.begin(), same.deflated.end());
            checksum = adler32_combine(checksum, same.checksum, static_cast<z_off_t>(n));
        } else {
            deflate_plane(plane);
            checksum = libdeflate_adler32(static_cast<uint32_t>(checksum), plane.data(), n);
        }
    }
    deflated_.insert(deflated_.end(), end_of_blocks.begin(), end_of_blocks.end());
    for (int shift = 24; shift >= 0; shift -= 8) deflated_.push_back(static_cast<uint8_t>(checksum >> shift));
    return deflated_;
}

}  // namespace ovni
