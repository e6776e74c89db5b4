// Filters a chunk of rows as `shuffle` and `deflate` of HDF5 do, several times as fast: bytes of equal place
// in a row form a plane, and each plane is deflated in the way that suits it. Any reader of HDF5 undoes it.
//
// Format: HDF5 File Format Specification 3.0, "Filter Pipeline Message", filters 2 and 1; RFC 1950 and 1951.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace ovni {

class ChunkFilter {
 public:
    static constexpr int level = 1;  // what the dataset says

    ChunkFilter();
    ~ChunkFilter();
    ChunkFilter(const ChunkFilter&) = delete;
    ChunkFilter& operator=(const ChunkFilter&) = delete;

    // Valid until the next call. A row has words of 8 bytes.
    template <std::ranges::contiguous_range Rows>
    std::span<const uint8_t> apply(const Rows& rows) {
        using Row = std::ranges::range_value_t<Rows>;
        static_assert(sizeof(Row) % sizeof(uint64_t) == 0 && std::is_trivially_copyable_v<Row>);
        return apply(reinterpret_cast<const uint8_t*>(std::ranges::data(rows)), std::ranges::size(rows),
                     sizeof(Row));
    }

 private:
    // Most planes of a chunk are one byte again and again.
    struct Constant {
        std::vector<uint8_t> deflated;
        uLong checksum = 0;
    };

    std::span<const uint8_t> apply(const uint8_t* rows, size_t count, size_t row_bytes);
    void shuffle(const uint8_t* rows, size_t count, size_t row_bytes);
    std::span<const uint8_t> deflate_planes(size_t planes);
    void deflate_plane(std::span<const uint8_t> plane);
    const Constant& constant(uint8_t byte, size_t count);

    z_stream stream_{};
    std::vector<uint8_t> planes_, deflated_;
    std::array<Constant, 256> constants_;  // of `constant_count_` bytes
    size_t constant_count_ = 0;
};

}  // namespace ovni
