// The payload of an event of the model mpi: the number of the function, unless it has its own event codes,
// and the details of the call. See ovni/mpi_events.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "functions.hpp"
#include "ovni/format.h"

namespace ovni::mpi {

// Kept in registers: bytes that are stored in parts and read as a whole stall.
class Payload {
 public:
    __extension__ using Bits = unsigned __int128;

    explicit Payload(Function function) noexcept
        : bits_(row_of(function).number), size_(bits_ != 0 ? sizeof(uint16_t) : 0) {}
    template <class T>
    Payload& add(T value) noexcept {
        bits_ |= static_cast<Bits>(std::make_unsigned_t<T>(value)) << 8 * size_;
        size_ += sizeof value;
        return *this;
    }
    Payload& add_bytes(uint64_t count) noexcept {
        constexpr unsigned short_size = 6;
        constexpr uint64_t most = (uint64_t{1} << 8 * short_size) - 1;
        if (!is_numbered()) return add(count);
        bits_ |= static_cast<Bits>(std::min(count, most)) << 8 * size_;
        size_ += short_size;
        return *this;
    }

    // The first byte is the lowest.
    Bits bits() const noexcept { return bits_; }
    unsigned size() const noexcept { return size_; }

 private:
    // True if the payload begins with a function number: all other first parts are larger.
    bool is_numbered() const noexcept { return (size_ & 2) != 0; }

    Bits bits_;
    unsigned size_;
};

}  // namespace ovni::mpi
