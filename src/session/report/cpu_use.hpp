// The CPUs that processes say they used.
#pragma once

#include <set>
#include <string_view>

#include "emu/plan/system.hpp"
#include "trace/metadata.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Null if the process has not told it.
const ProcessMetadata::CpuUse* cpu_use_of(const ProcessInfo& process, const Trace& trace,
                                          const System& system);

// True if its threads had to leave their CPUs ten times a second, each, in that share of the time.
bool is_displaced_often(const ProcessMetadata::CpuUse& use, uint32_t threads, double share = 1);

// The CPUs in a list: "0-3,8". Empty if it is no such list.
std::set<int> cpus_in(std::string_view list);

}  // namespace ovni
