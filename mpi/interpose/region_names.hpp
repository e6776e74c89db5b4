// The names of regions that this process has seen, each with a number: a small table that only grows, so that
// reading it needs no lock. A region's value in the trace is the hash of its name, the same on every rank.
// What the table cannot tell apart or has no room for is `other`.
#pragma once

#include <cstdint>
#include <string_view>

namespace ovni::mpi {

using RegionNumber = uint16_t;
inline constexpr uint32_t region_names = 2048;   // numbers are below
inline constexpr RegionNumber other_region = 0;  // value 1
inline constexpr RegionNumber unknown_region = ~RegionNumber{0};

// Any thread. Adds the name where it is new.
RegionNumber region_number(std::string_view name) noexcept;
// unknown_region where nobody has asked region_number for the name.
RegionNumber known_region(std::string_view name) noexcept;

int32_t region_value(RegionNumber number) noexcept;
// Zero terminated, lives as long as the process.
const char* region_name(RegionNumber number) noexcept;

}  // namespace ovni::mpi
