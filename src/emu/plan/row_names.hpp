// The names of thread rows, as all outputs have them:
//
//     TH 1.20                              application and thread, as the reference names rows
//     rank 3 node1 TH 1.20 thread helper   in a trace of our library: with rank and host, and the thread's
//     name
//
// A suffix says if the stream is incomplete, or if its program is still running.
#pragma once

#include <optional>
#include <string>

#include "trace/trace.hpp"

namespace ovni {

enum class RowNames { ranks, reference };

// `app`, `rank`: of the thread's process.
std::string name_of_thread_row(const Stream& stream, int app, std::optional<int> rank, RowNames names);

}  // namespace ovni
