// The flight recorder: keeps only the newest events of a thread, in its ring. Of older events only those get
// into the stream that later events depend on; gaps replace the others.
#pragma once

#include <cstdint>
#include <vector>

#include "drain/stream_file.hpp"
#include "ring/gaps.hpp"
#include "ring/ring.hpp"

namespace ovni::writer {

inline constexpr const char* flight_gap = "flight";

// The position from which the flight recorder keeps events, if `newest` is the end.
uint64_t kept_from(const RingHeader& header, const RingProgress& progress, uint64_t newest);

// The parts of given-up events that are kept.
struct Thinned {
    std::vector<uint8_t> needed;  // for the stream, at `stream_end`
    std::vector<Gap> gaps;        // between the needed events
    Skipped skipped;              // events after the last needed one
};
Thinned thin_out(const EventPieces& events, uint64_t stream_end, Skipped skipped);

// Counts a gap between events that are given up.
void skip(Skipped& skipped, const RingNote& note);
void skip(Skipped& skipped, const Gap& gap);

// The gaps that stand for `skipped`, before the event at `offset`; `reason`: of the events.
std::vector<Gap> gaps_of(const Skipped& skipped, uint64_t offset, const char* reason = flight_gap);

}  // namespace ovni::writer
