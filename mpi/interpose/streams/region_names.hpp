// The names of regions that this process has seen, each with a number. The table is small and only grows, so
// reading it needs no lock. A region's value in the trace is the hash of its name, which is equal on every
// rank. If two names have one hash, or the table is full, a name counts as `other`.
#pragma once

#include <cstdint>
#include <string_view>

namespace ovni::mpi {

using RegionNumber = uint16_t;
inline constexpr uint32_t region_names = 2048;   // numbers are below
inline constexpr RegionNumber other_region = 0;  // value 1
inline constexpr RegionNumber unknown_region = ~RegionNumber{0};

// Adds the name if it is new. Any thread may call this.
RegionNumber region_number(std::string_view name) noexcept;
// unknown_region if region_number() was never called with this name.
RegionNumber known_region(std::string_view name) noexcept;

int32_t region_value(RegionNumber number) noexcept;
// The name, zero terminated; lives as long as the process.
const char* region_name(RegionNumber number) noexcept;

}  // namespace ovni::mpi
