// The use of a thread by the states that its row shows, as one table.
#pragma once

#include <cstdint>

#include "messages/hybrid/thread_use.hpp"

namespace ovni {

// A state that is none of them leaves the thread useful.
enum class Doing : uint8_t { computing, in_mpi, idle, beginning_region, at_lock, asleep, at_barrier };

// The part of a state of OpenMP.
enum class InOpenMp : uint8_t { outside, forking, in_loop_of_workers, in_own_part, in_region };

// Values of the type "OpenMP subsystem"; 0: nothing is shown.
InOpenMp place_in_openmp(int64_t subsystem);
Doing doing_in_openmp(int64_t subsystem);
// A value of the type "Wait in POSIX threads".
Doing doing_in_posix_threads(int64_t wait);

}  // namespace ovni
