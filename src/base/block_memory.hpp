// Memory for the blocks in which thousands of files are read: side by side in huge pages. What is given back
// serves blocks of the same size, until the program ends. Any thread may take and give back.
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

// Not initialised. Throws std::bad_alloc.
BlockMemory take_block(size_t size);

}  // namespace ovni
