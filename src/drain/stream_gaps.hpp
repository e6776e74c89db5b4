// The gaps of a stream and their file. The ring stores how many gaps in the file are valid, and the gaps that
// found no room on disk, so that another drainer continues with this list.
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

    // Reads the list from the file.
    void load();
    // Sets the list to the state noted in the ring, without gaps that another drainer has added to the file
    // since.
    void take_up();
    void forget() { list_ = Gaps(); }
    // Writes the file; false if that fails.
    bool save();
    // Notes in `now` the gaps that the file lacks, because this drainer may end before there is room. Call
    // before `now` is committed.
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
