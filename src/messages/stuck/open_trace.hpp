// Open calls, and uses of communicators, at the end of the processes of a trace, or of those that one rank
// has read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "messages/stuck/waiting.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Warns of calls that are open where a stream was cut, and leaves them out.
std::vector<OpenProcess> open_processes(std::span<const EndOfProcess> ends, const Trace& trace);

// Per process: what it recorded of the communicators `ids`, and how many collectives it entered on each.
std::vector<CommunicatorOfProcess> communicators_at_end(std::span<const EndOfProcess> ends,
                                                        std::span<const uint64_t> ids);

}  // namespace ovni
