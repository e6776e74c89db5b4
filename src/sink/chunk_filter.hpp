// A chunk of rows as the filters `shuffle` and `deflate` of HDF5 leave it, several times as fast as they do:
// bytes of equal place in a row stand together, and each of these planes is deflated in the way that suits
// it. Any reader of HDF5 undoes it.
//
// Format: HDF5 File Format Specification 3.0, "Filter Pipeline Message", filters 2 and 1; RFC 1950 and 1951.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sink/column_rows.hpp"

namespace ovni {

class ChunkFilter {
 public:
    static constexpr int level = 1;  // what the dataset says

    ChunkFilter();
    ~ChunkFilter();
    ChunkFilter(const ChunkFilter&) = delete;
    ChunkFilter& operator=(const ChunkFilter&) = delete;

    // Valid until the next call.
    std::span<const uint8_t> apply(std::span<const ColumnRow> rows);
    std::span<const uint8_t> apply(std::span<const MessageRow> rows);

 private:
    // Most planes of a chunk are one byte again and again.
    struct Constant {
        std::vector<uint8_t> deflated;
        uLong checksum = 0;
    };

    template <class Row>
    void shuffle(std::span<const Row> rows);
    std::span<const uint8_t> deflate_planes(size_t planes);
    void deflate_plane(std::span<const uint8_t> plane);
    const Constant& constant(uint8_t byte, size_t count);

    z_stream stream_{};
    std::vector<uint8_t> planes_, deflated_;
    std::array<Constant, 256> constants_;  // of `constant_count_` bytes
    size_t constant_count_ = 0;
};

}  // namespace ovni
