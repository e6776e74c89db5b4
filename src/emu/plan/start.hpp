// Preparations for the first event: the correction of every stream's clock, the origin of time, and the date.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "trace/clock_model.hpp"
#include "trace/trace.hpp"

namespace ovni {

inline constexpr int64_t no_clock = INT64_MAX;

// Opens a stream for others. May be called by several threads at a time.
using OpenStream = std::function<StreamReader(uint32_t stream)>;

// A reader of the stream with its clock corrected, as emulation needs it.
StreamReader open_stream(const Trace& trace, const ClockModel& clocks, uint32_t stream,
                         Regions regions = Regions::as_they_are, Checksums checksums = Checksums::compared);
// Readers of these streams, in their order, opened by so many threads.
std::vector<StreamReader> open_streams(const Trace& trace, const ClockModel& clocks,
                                       std::span<const uint32_t> streams, Regions regions,
                                       Checksums checksums, size_t threads);

// True if they are more than an hour apart: then clocks were not corrected, or are wrong.
bool is_far(int64_t clock, int64_t from);

// The least of the first clocks; 0 if no stream has events. `first_clocks`: by stream, no_clock for a stream
// without events. Throws Error if a clock is far from that of the first stream with events.
int64_t time_origin(const Trace& trace, std::span<const int64_t> first_clocks);
// Opens all streams to find the origin.
int64_t time_origin(const Trace& trace, const ClockModel& clocks);

// When the run began, in s since 1970, if the trace has it; the earliest of all nodes.
std::optional<int64_t> run_began(const Trace& trace);

}  // namespace ovni
