// The gaps of a stream and the file that shows them. How many gaps in the file are valid stands in the ring,
// with the gaps that found no room on disk, so that another drainer goes on with the same ones.
#pragma once

#include "drain/drained_ring.hpp"
#include "drain/stream_place.hpp"
#include "ring/gaps.hpp"

namespace ovni::writer {

// The reason of gaps because of I/O.
inline constexpr const char* error_gap = "error";

class StreamGaps {
 public:
    StreamGaps(DrainedRing& ring, const StreamPlace& place) : ring_(ring), place_(place) {}

    Gaps& list() { return list_; }
    const Gaps& list() const { return list_; }

    // The list becomes what is in the file.
    void load();
    // The list becomes what the ring says, whatever another drainer has added to the file.
    void take_up();
    void forget() { list_ = Gaps(); }
    // False if the disk refuses.
    bool save();
    // Call before `now` is committed: it says what the file lacks, as this drainer may end before there is
    // room.
    void note_in(RingProgress& now) const;

    // Keeps room on disk for the first gaps, while the stream is open.
    void reserve() const;
    void give_up_reserve() const;

 private:
    std::string path() const;

    DrainedRing& ring_;
    const StreamPlace& place_;
    Gaps list_;
};

}  // namespace ovni::writer
