#include "base/block_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "base/huge_pages.hpp"

namespace ovni {

namespace {

constexpr size_t line = 64;
constexpr size_t first_slab = size_t{256} << 10;  // enough for a few files
#ifdef __SANITIZE_ADDRESS__
constexpr size_t largest = 0;  // it watches the ends of blocks that it has made itself
#else
constexpr size_t largest = size_t{128} << 10;  // a larger one has pages of its own
#endif

size_t whole_lines(size_t size) {
    return (std::max<size_t>(size, 1) + line - 1) / line * line;
}

// A free block begins with the address of the next free one.
class Slabs {
 public:
    uint8_t* take(size_t size) {
        const std::lock_guard lock(mutex_);
        uint8_t*& free = free_[size];
        if (free == nullptr) return cut(size);
        uint8_t* block = free;
        std::memcpy(&free, block, sizeof free);
        return block;
    }
    void give_back(uint8_t* block, size_t size) noexcept {
        const std::lock_guard lock(mutex_);
        uint8_t*& free = free_.find(size)->second;
        std::memcpy(block, &free, sizeof free);
        free = block;
    }

 private:
    uint8_t* cut(size_t size) {
        if (left_ < size) begin_slab();
        left_ -= size;
        at_ += size;
        return at_ - size;
    }
    void begin_slab() {
        const size_t size = at_ == nullptr ? first_slab : huge_page;
        void* slab = std::aligned_alloc(size, size);
        if (slab == nullptr) throw std::bad_alloc();
        want_huge_pages(slab, size);
        at_ = static_cast<uint8_t*>(slab);
        left_ = size;
    }

    std::mutex mutex_;
    std::map<size_t, uint8_t*> free_;  // by size
    uint8_t* at_ = nullptr;
    size_t left_ = 0;
};

// Blocks may be given back at the end of the program, after objects were destroyed.
Slabs& slabs() {
    static Slabs& all = *new Slabs;
    return all;
}

}  // namespace

void GiveBack::operator()(uint8_t* block) const noexcept {
    if (size_ > largest)
        delete[] block;
    else
        slabs().give_back(block, size_);
}

BlockMemory take_block(size_t size) {
    const size_t whole = whole_lines(size);
    if (whole > largest) return {new uint8_t[size], GiveBack(whole)};
    return {slabs().take(whole), GiveBack(whole)};
}

}  // namespace ovni
