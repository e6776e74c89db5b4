// Named regions of a thread: a mark stack whose values are the regions' names. Names are at most 127 bytes,
// zero terminated.
#pragma once

#include <string_view>

#include "mpi/interpose/thread.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

inline constexpr int32_t region_mark_type = OVNI_MPI_REGION_MARK;

void open_region(Thread& thread, std::string_view name) noexcept;
// The innermost region of that name, wherever it is in the stack; nothing where there is none.
void close_region(Thread& thread, std::string_view name) noexcept;
void close_all_regions(Thread& thread) noexcept;

// Tells the stream the names of all regions that are open.
void label_open_regions(Thread& thread) noexcept;

}  // namespace ovni::mpi
