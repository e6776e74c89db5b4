// A growing array of records that is filled and emptied millions of times a second: appending is two stores
// and a test, and memory is neither given back nor set to zero in between.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "emu/records/record.hpp"

namespace ovni {

class RecordBuffer {
 public:
    RecordBuffer() = default;
    RecordBuffer(RecordBuffer&& other) noexcept { swap(other); }
    RecordBuffer& operator=(RecordBuffer&& other) noexcept {
        swap(other);
        return *this;
    }

    void append(const Record& record) {
        if (size_ == capacity_) [[unlikely]]
            grow(size_ + 1);
        data_[size_++] = record;
    }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Record* data() { return data_.get(); }
    const Record* data() const { return data_.get(); }
    Record* begin() { return data_.get(); }
    Record* end() { return data_.get() + size_; }
    const Record* begin() const { return data_.get(); }
    const Record* end() const { return data_.get() + size_; }
    // Keeps the first `size` records.
    void truncate(size_t size) { size_ = size; }
    void clear() { size_ = 0; }
    // New records at the end are not set.
    void resize_for_overwrite(size_t size) {
        if (size > capacity_) grow(size);
        size_ = size;
    }
    void swap(RecordBuffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

 private:
    [[gnu::noinline]] void grow(size_t at_least) {
        constexpr size_t first = 1024;
        size_t capacity = std::max({first, capacity_ + capacity_ / 2, at_least});
        auto data = std::make_unique_for_overwrite<Record[]>(capacity);
        std::copy(begin(), end(), data.get());
        data_ = std::move(data);
        capacity_ = capacity;
    }

    std::unique_ptr<Record[]> data_;
    size_t size_ = 0, capacity_ = 0;
};

}  // namespace ovni
