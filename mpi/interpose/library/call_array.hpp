// An array that lives as long as a call: on the stack if it is small.
#pragma once

#include <cstdlib>
#include <type_traits>

namespace ovni::mpi {

template <class T, int small>
class CallArray {
    static_assert(std::is_trivially_copyable_v<T>);

 public:
    CallArray() = default;
    ~CallArray() {
        if (data_ != own()) free(data_);
    }
    CallArray(const CallArray&) = delete;
    CallArray& operator=(const CallArray&) = delete;

    // Makes room for `count` uninitialised elements; null if memory runs out. Call once.
    T* make(int count) noexcept {
        data_ = count <= small ? own() : static_cast<T*>(malloc(static_cast<size_t>(count) * sizeof(T)));
        return data_;
    }
    T* data() const noexcept { return data_; }
    T& operator[](int i) const noexcept { return data_[i]; }

 private:
    T* own() noexcept { return reinterpret_cast<T*>(memory_); }

    alignas(T) unsigned char memory_[sizeof(T) * small];
    T* data_ = nullptr;
};

}  // namespace ovni::mpi
