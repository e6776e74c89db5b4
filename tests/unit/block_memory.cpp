// Memory for blocks of files.
#include "base/block_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

namespace ovni::test {
namespace {

// The block keeps what it is filled with, whoever else takes and gives back.
struct Filled {
    BlockMemory block;
    size_t size;
    uint8_t with;

    Filled(size_t bytes, uint8_t value) : block(take_block(bytes)), size(bytes), with(value) {
        std::fill_n(block.get(), size, with);
    }
    bool is_as_filled() const {
        return std::all_of(block.get(), block.get() + size, [&](uint8_t byte) { return byte == with; });
    }
};

TEST(BlockMemoryTest, BlocksDoNotOverlap) {
    const auto take_and_check = [](unsigned seed) {
        std::mt19937 random(seed);
        constexpr size_t sizes[] = {1, 63, 64, 65, 4096, 16416, 65568, 131072, 131073, 500000};
        std::vector<Filled> all;
        for (int i = 0; i < 500; ++i) {
            all.emplace_back(sizes[random() % std::size(sizes)], static_cast<uint8_t>(random()));
            if (all.size() > 60) all.erase(all.begin() + random() % all.size());
        }
        for (const Filled& one : all) ASSERT_TRUE(one.is_as_filled()) << one.size << " bytes";
    };
    std::vector<std::jthread> threads;
    for (unsigned seed : {1, 2, 3}) threads.emplace_back(take_and_check, seed);
}

TEST(BlockMemoryTest, ServesBlocksOfTheSameSizeAgain) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps freed blocks for a while";
#endif
    constexpr size_t size = 40000;
    std::vector<uint8_t*> first, second;
    for (std::vector<uint8_t*>* places : {&first, &second}) {
        std::vector<BlockMemory> blocks;
        for (int i = 0; i < 200; ++i) {
            blocks.push_back(take_block(size));
            places->push_back(blocks.back().get());
        }
        std::ranges::sort(*places);
    }
    EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace ovni::test
