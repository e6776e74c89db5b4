#include "core/crc32c.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string_view>
#include <vector>

namespace ovni::test {

namespace {

uint32_t crc_of(std::string_view text) {
    return crc32c({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

std::vector<uint8_t> noise(size_t size) {
    std::mt19937 random(1);
    std::vector<uint8_t> bytes(size);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

// One bit after the other, as the polynomial says.
uint32_t bit_by_bit(std::span<const uint8_t> bytes) {
    uint32_t state = ~uint32_t{0};
    for (uint8_t byte : bytes) {
        state ^= byte;
        for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (state & 1 ? 0x82f63b78 : 0);
    }
    return ~state;
}

TEST(Crc32cTest, KnownVectorsHaveTheirChecksums) {
    std::vector<uint8_t> bytes(32);
    EXPECT_EQ(crc32c(bytes), 0x8a9136aau);
    bytes.assign(32, 0xff);
    EXPECT_EQ(crc32c(bytes), 0x62a8ab43u);
    std::iota(bytes.begin(), bytes.end(), uint8_t{0});
    EXPECT_EQ(crc32c(bytes), 0x46dd794eu);
    std::iota(bytes.rbegin(), bytes.rend(), uint8_t{0});
    EXPECT_EQ(crc32c(bytes), 0x113fdb5cu);
    EXPECT_EQ(crc_of("123456789"), 0xe3069283u);
    EXPECT_EQ(crc_of(""), 0u);
}

// Every size up to beyond three of the large lanes, at every alignment in turn.
TEST(Crc32cTest, InstructionAndTablesAgree) {
    const std::vector<uint8_t> bytes = noise(8192);
    for (size_t size = 0; size < 7000; size += size < 700 ? 1 : 37) {
        std::span<const uint8_t> part(bytes.data() + size % 16, size);
        uint32_t expected = bit_by_bit(part);
        ASSERT_EQ(~crc32c_detail::by_tables(~0u, part.data(), size), expected) << size;
        ASSERT_EQ(crc32c(part), expected) << size;
        if (crc32c_detail::has_instruction()) {
            ASSERT_EQ(~crc32c_detail::by_instruction(~0u, part.data(), size), expected) << size;
        }
    }
}

TEST(Crc32cTest, PiecesOfAnySizeMakeTheWhole) {
    const std::vector<uint8_t> bytes = noise(20000);
    const std::span<const uint8_t> whole = bytes;
    uint32_t expected = crc32c(whole);
    for (size_t piece : {1, 7, 64, 191, 3071, 3072, 3073, 9000}) {
        uint32_t crc = 0;
        for (size_t at = 0; at < whole.size(); at += piece)
            crc = crc32c(whole.subspan(at, std::min(piece, whole.size() - at)), crc);
        EXPECT_EQ(crc, expected) << piece;
    }
}

}  // namespace

}  // namespace ovni::test
