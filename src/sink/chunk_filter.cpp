#include "sink/chunk_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <new>

namespace ovni {

namespace {

constexpr size_t word_bytes = 8;
constexpr size_t words_in_row = sizeof(ColumnRow) / word_bytes;

using Block = std::array<uint64_t, word_bytes>;

// Bytes j of words 0 to 7 become word j: three rounds that exchange ever larger squares across the diagonal.
void transpose(Block& block) {
    constexpr std::array<uint64_t, 3> kept = {0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    for (unsigned round = 0; round < kept.size(); ++round) {
        const size_t step = size_t{1} << round;
        const unsigned shift = 8U << round;
        for (size_t i = 0; i < block.size(); ++i) {
            if (i & step) continue;
            uint64_t x = block[i], y = block[i + step];
            block[i] = (x & kept[round]) | (y & kept[round]) << shift;
            block[i + step] = (x >> shift & kept[round]) | (y & ~kept[round]);
        }
    }
}

struct Way {
    int level, strategy;
};
constexpr Way stored{0, Z_DEFAULT_STRATEGY}, runs{1, Z_RLE}, letters{1, Z_HUFFMAN_ONLY};

// From a sample: neighbours that are equal make runs, and what has no pattern is not worth the time.
Way suited(std::span<const uint8_t> plane) {
    constexpr size_t samples = 1024, group = 4;
    constexpr double many_equal = 0.9, worth_bits = 3;
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

ChunkFilter::ChunkFilter() {
    if (deflateInit(&stream_, level) != Z_OK) throw std::bad_alloc();
}
ChunkFilter::~ChunkFilter() {
    deflateEnd(&stream_);
}

void ChunkFilter::shuffle(std::span<const ColumnRow> rows) {
    const size_t n = rows.size();
    planes_.resize(n * sizeof(ColumnRow));
    const auto* bytes = reinterpret_cast<const uint8_t*>(rows.data());
    for (size_t w = 0; w < words_in_row; ++w) {
        uint8_t* planes = planes_.data() + w * word_bytes * n;
        Block block{};
        for (size_t r = 0; r < n; r += block.size()) {
            const size_t count = std::min(block.size(), n - r);
            for (size_t i = 0; i < count; ++i)
                std::memcpy(&block[i], bytes + (r + i) * sizeof(ColumnRow) + w * word_bytes, word_bytes);
            transpose(block);
            for (size_t j = 0; j < word_bytes; ++j) std::memcpy(planes + j * n + r, &block[j], count);
        }
    }
}

std::span<const uint8_t> ChunkFilter::apply(std::span<const ColumnRow> rows) {
    shuffle(rows);
    constexpr size_t planes = sizeof(ColumnRow), per_change = 64;
    deflateReset(&stream_);
    deflated_.resize(deflateBound(&stream_, planes_.size()) + planes * per_change);
    stream_.next_out = deflated_.data();
    stream_.avail_out = static_cast<uInt>(deflated_.size());
    for (size_t p = 0; p < planes; ++p) {
        std::span plane = std::span(planes_).subspan(p * rows.size(), rows.size());
        Way way = suited(plane);
        stream_.avail_in = 0;
        deflateParams(&stream_, way.level, way.strategy);
        stream_.next_in = plane.data();
        stream_.avail_in = static_cast<uInt>(plane.size());
        deflate(&stream_, p + 1 < planes ? Z_NO_FLUSH : Z_FINISH);
    }
    return {deflated_.data(), deflated_.size() - stream_.avail_out};
}

}  // namespace ovni
