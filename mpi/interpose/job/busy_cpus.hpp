// How long CPUs have worked for any program, as the system counts it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/interpose/job/cpus.hpp"

namespace ovni::mpi {

// The time that these CPUs have not been idle since the start of the machine, ns, in steps of a tick (mostly
// 10 ms). -1: unknown.
int64_t busy_time(const Cpus& cpus) noexcept;

// Writes "0-3,8" and a zero. False if there is no room for it.
bool write_list(const Cpus& cpus, char* text, size_t room) noexcept;

}  // namespace ovni::mpi
