// The end of a trace, as its processes say, or those that one rank has read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "messages/stuck/waiting.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Warns of calls that are open where a stream was cut, and leaves them out.
std::vector<OpenProcess> open_processes(std::span<const EndOfProcess> ends, const Trace& trace);

// These communicators as each process knows them, and how many collectives it has entered on them.
std::vector<CommunicatorOfProcess> communicators_at_end(std::span<const EndOfProcess> ends,
                                                        std::span<const uint64_t> ids);

}  // namespace ovni
