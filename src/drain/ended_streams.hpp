// Ends of streams, and the facts that a stream passes to the next stream in its place: after exec, or if the
// system reused the thread id or the pid.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ring/ring.hpp"

namespace ovni::writer {

// How the owner of a ring ended, as far as the drainer knows.
struct OwnerEnd {
    RingEnd how = RingEnd::recovered;
    int code = 0;
    uint64_t at = 0;  // by the clock of events; 0: unknown
};

// A stream that has ended, for a ring that goes on in its place.
struct EndedStream {
    std::string metadata;           // as JSON
    uint64_t lost = 0, raised = 0;  // counted by drainers
    uint64_t open_life = 0;         // its last clock, if its events leave the thread's life open
};

// Key: the place in the trace.
struct EndedStreams : std::map<std::string, EndedStream> {
    std::map<std::string, ProcessId> users;  // of the directories of processes
};

}  // namespace ovni::writer
