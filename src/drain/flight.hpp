// The flight recorder: of a thread the newest events only are kept, in its ring. What is older gets into no
// stream, but for events without which the rest has no meaning; a gap stands for what was between them.
#pragma once

#include <cstdint>
#include <vector>

#include "drain/stream_file.hpp"
#include "ring/gaps.hpp"
#include "ring/ring.hpp"

namespace ovni::writer {

inline constexpr const char* flight_gap = "flight";

// Where the events begin that the flight recorder keeps, of those up to `newest`.
uint64_t kept_from(const RingHeader& header, const RingProgress& progress, uint64_t newest);

// What becomes of events that are given up.
struct Thinned {
    std::vector<uint8_t> needed;  // these go into the stream, at `file_end`
    std::vector<Gap> gaps;        // between them
    Skipped skipped;              // after them
};
Thinned thin_out(const EventPieces& events, uint64_t file_end, Skipped skipped);

// What stood between events that are given up.
void skip(Skipped& skipped, const RingNote& note);

// The gaps that stand for it, before the event at `offset`.
std::vector<Gap> gaps_of(const Skipped& skipped, uint64_t offset);

}  // namespace ovni::writer
