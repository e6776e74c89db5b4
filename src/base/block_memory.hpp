// Memory for the blocks in which thousands of files are read, contiguous in huge pages. A returned block is
// reused for blocks of its size until the program ends. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ovni {

class GiveBack {
 public:
    GiveBack() = default;
    explicit GiveBack(size_t size) : size_(size) {}
    void operator()(uint8_t* block) const noexcept;

 private:
    size_t size_ = 0;
};
using BlockMemory = std::unique_ptr<uint8_t[], GiveBack>;

// The memory is not initialised. Throws std::bad_alloc.
BlockMemory take_block(size_t size);

}  // namespace ovni
