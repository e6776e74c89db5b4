// --keep-going: where the metadata of streams contradict each other, what most of them say holds, and the
// others are left out. One stale stream does not cost all good ones, and many are found in one go.
#pragma once

#include <filesystem>
#include <vector>

#include "trace/salvage.hpp"

namespace ovni {

// About runs, processes, CPUs, marks and hardware counters. What as many say on both sides is settled in
// favour of the first stream.
void leave_out_minorities(std::vector<Stream>& streams, std::vector<Damage>& damages);

}  // namespace ovni
