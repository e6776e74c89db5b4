// Named regions of a thread: a mark stack with a value for each name. Names are at most 127 bytes, zero
// terminated.
#pragma once

#include <string_view>

#include "mpi/interpose/streams/thread.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

inline constexpr int32_t region_mark_type = OVNI_MPI_REGION_MARK;

void open_region(Thread& thread, std::string_view name) noexcept;
// Closes the innermost region of that name, even if others are open inside it. Does nothing if there is none.
void close_region(Thread& thread, std::string_view name) noexcept;
void close_all_regions(Thread& thread) noexcept;

// Writes the labels of all open regions into the stream.
void label_open_regions(Thread& thread) noexcept;

}  // namespace ovni::mpi
