// What stands behind the clock of an event of the model mpi: the number of the function, where it has no codes
// of its own, and the details of the call. See ovni/mpi_events.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "functions.hpp"
#include "ovni/format.h"

namespace ovni::mpi {

class Payload {
 public:
    explicit Payload(Function function) noexcept : numbered_(row_of(function).number != 0) {
        if (numbered_) add(row_of(function).number);
    }
    template <class T>
    Payload& add(T value) noexcept {
        std::memcpy(bytes_ + size_, &value, sizeof value);
        size_ += sizeof value;
        return *this;
    }
    Payload& add_bytes(uint64_t count) noexcept {
        constexpr unsigned short_size = 6;
        constexpr uint64_t most = (uint64_t{1} << 8 * short_size) - 1;
        if (!numbered_) return add(count);
        count = std::min(count, most);
        std::memcpy(bytes_ + size_, &count, short_size);
        size_ += short_size;
        return *this;
    }

    const uint8_t (&bytes() const noexcept)[OVNI_FORMAT_PAYLOAD_MAX] { return bytes_; }
    unsigned size() const noexcept { return size_; }

 private:
    alignas(8) uint8_t bytes_[OVNI_FORMAT_PAYLOAD_MAX] = {};
    unsigned size_ = 0;
    bool numbered_;
};

}  // namespace ovni::mpi
