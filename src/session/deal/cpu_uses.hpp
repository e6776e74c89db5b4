// The CPUs that the processes of a trace run on, from the events of their threads.
#pragma once

#include <cstdint>
#include <vector>

#include "session/deal/parts.hpp"

namespace ovni {

// A thread of the process was on that CPU (a row of the system), or may have been.
struct CpuUse {
    uint32_t process = 0, cpu = 0;
};

// Every stream is read by one of the ranks that can read it. If events are missing, damaged or wrong, its
// process may have been on any CPU of its loom. So a process may get uses that it did not have. Processes
// that share a CPU in events that the emulation accepts always come into one part. If the starts of threads
// make a whole loom one part, its later uses are left out. Collective; alike on all ranks.
std::vector<CpuUse> find_cpu_uses(const Ranks& ranks, const Trace& trace, const System& system,
                                  const Readers& readers, const OpenStream& open);

// Processes that have used a common CPU, directly or through others, are one part. An unused CPU goes with
// the first process of its loom.
Parts parts_apart(const System& system, const std::vector<CpuUse>& uses);

}  // namespace ovni
