// The clocks at which the newest parallel regions ended, for threads that learn of the end later. Any thread,
// without locks.
#pragma once

#include <cstdint>

namespace ovni::openmp {

void note_end_of_region(uint32_t region, uint64_t clock) noexcept;
// 0 if the region goes on, or ended long ago.
uint64_t end_of_region(uint32_t region) noexcept;

}  // namespace ovni::openmp
