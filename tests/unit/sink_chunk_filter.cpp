// Chunks as the filters of HDF5 would leave them: what zlib and an unshuffle make of them again.
#include <gtest/gtest.h>

#include <random>

#include "sink/columns/chunk_filter.hpp"
#include "sink/columns/column_rows.hpp"

namespace ovni::test {
namespace {

template <class Row>
std::vector<Row> undone(std::span<const uint8_t> filtered, size_t rows) {
    std::vector<uint8_t> planes(rows * sizeof(Row));
    uLongf size = planes.size();
    EXPECT_EQ(uncompress(planes.data(), &size, filtered.data(), filtered.size()), Z_OK);
    EXPECT_EQ(size, planes.size());
    std::vector<Row> result(rows);
    auto* bytes = reinterpret_cast<uint8_t*>(result.data());
    for (size_t r = 0; r < rows; ++r)
        for (size_t b = 0; b < sizeof(Row); ++b) bytes[r * sizeof(Row) + b] = planes[b * rows + r];
    return result;
}

TEST(ChunkFilterTest, AnyRowsComeBack) {
    std::mt19937_64 random(1);
    ChunkFilter filter;
    for (size_t count :
         {size_t{1}, size_t{2}, size_t{7}, size_t{8}, size_t{9}, size_t{1000}, rows_in_chunk}) {
        std::vector<ColumnRow> noise(count), steps(count), same(count), few(count);
        for (size_t i = 0; i < count; ++i) {
            auto number = [&] { return static_cast<int64_t>(random()); };
            noise[i] = {number(), static_cast<int32_t>(number()), static_cast<int32_t>(number()), number()};
            steps[i] = {static_cast<int64_t>(i * 100), static_cast<int32_t>(i % 512), -1, -5};
            few[i] = {number() % 4, static_cast<int32_t>(number() % 3), 1, number() % 2};
        }
        for (const auto& rows : {noise, steps, same, few})
            EXPECT_EQ(undone<ColumnRow>(filter.apply(rows), count), rows);
    }
}

TEST(ChunkFilterTest, MessagesComeBack) {
    ChunkFilter filter;
    for (size_t count : {size_t{1}, size_t{9}, rows_in_chunk}) {
        std::vector<MessageRow> rows(count);
        for (size_t i = 0; i < count; ++i)
            rows[i] = {.time = static_cast<int64_t>(i), .bytes = i % 7, .sender = 3, .tag = -1};
        EXPECT_EQ(undone<MessageRow>(filter.apply(rows), count), rows);
    }
}

TEST(ChunkFilterTest, WhatHasAPatternBecomesSmall) {
    std::vector<ColumnRow> rows(rows_in_chunk);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = {static_cast<int64_t>(i * 10'000), 3, 1, 7};
    ChunkFilter filter;
    EXPECT_LT(filter.apply(rows).size(), rows.size() * sizeof(ColumnRow) / 5);
}

}  // namespace
}  // namespace ovni::test
