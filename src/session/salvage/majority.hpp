// --keep-going: where the metadata of streams contradict each other, what most of them say holds, and the
// others are left out. A stale stream does not cost all good ones, and many stale streams are found at once.
#pragma once

#include <filesystem>
#include <vector>

#include "trace/salvage.hpp"

namespace ovni {

// Compares runs, processes, CPUs, marks and hardware counters. If as many streams say one thing as another,
// the first stream decides.
void leave_out_minorities(std::vector<Stream>& streams, std::vector<Damage>& damages);

}  // namespace ovni
