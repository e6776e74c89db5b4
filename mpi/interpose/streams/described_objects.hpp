// The set of objects that a stream has described, one bit for each object number.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace ovni::mpi {

class DescribedObjects {
 public:
    DescribedObjects() = default;
    ~DescribedObjects() { free(words_); }
    DescribedObjects(const DescribedObjects&) = delete;
    DescribedObjects& operator=(const DescribedObjects&) = delete;

    // Adds an object; true if it is new. If memory runs out, every object is new.
    bool add(uint32_t number) noexcept {
        constexpr uint32_t bits = 64;
        uint32_t word = number / bits;
        if (word >= count_ && !grow(word + 1)) return true;
        uint64_t bit = uint64_t{1} << number % bits;
        bool is_new = (words_[word] & bit) == 0;
        words_[word] |= bit;
        return is_new;
    }
    void remove(uint32_t number) noexcept {
        constexpr uint32_t bits = 64;
        if (number / bits < count_) words_[number / bits] &= ~(uint64_t{1} << number % bits);
    }

 private:
    bool grow(uint32_t least) noexcept {
        constexpr uint32_t step = 8;
        uint32_t count = least + least / 2 + step;
        auto* words = static_cast<uint64_t*>(realloc(words_, count * sizeof *words_));
        if (!words) return false;
        memset(words + count_, 0, (count - count_) * sizeof *words);
        words_ = words;
        count_ = count;
        return true;
    }

    uint64_t* words_ = nullptr;
    uint32_t count_ = 0;
};

}  // namespace ovni::mpi
