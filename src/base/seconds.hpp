// Nanoseconds as seconds, only for display; computations use int64_t.
#pragma once

#include <cstdint>

namespace ovni {

constexpr double seconds(uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / 1e9;
}

}  // namespace ovni
