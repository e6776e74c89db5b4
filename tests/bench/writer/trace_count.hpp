// Is everything that a run emitted in its trace? Reads the streams as the tools do, which refuse clocks that
// go back and torn events.
#pragma once

#include <cstdint>
#include <filesystem>

namespace ovni::bench {

struct TraceCount {
    uint64_t streams = 0;
    uint64_t events = 0;        // those of the benchmark
    uint64_t out_of_order = 0;  // whose number does not follow the one before
};

// Throws Error where the trace cannot be read.
TraceCount count_events(const std::filesystem::path& trace);

}  // namespace ovni::bench
