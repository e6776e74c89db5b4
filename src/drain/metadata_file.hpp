// Writes stream.json: the owner's note, the drainer's counts, how the stream ended, and the facts of an
// earlier stream in its place.
#pragma once

#include <cstdint>

#include "drain/drained_ring.hpp"
#include "drain/ended_streams.hpp"
#include "drain/stream_gaps.hpp"
#include "drain/stream_place.hpp"
#include "ring/json_text.hpp"

namespace ovni::writer {

class MetadataFile {
 public:
    MetadataFile(DrainedRing& ring, const StreamPlace& place, const StreamGaps& gaps, EndedStreams& ended)
        : ring_(ring), place_(place), gaps_(gaps), ended_(ended) {}

    // Finds the earlier stream that this one continues, if there is one, and notes that in the ring.
    void find_earlier();
    // The last clock of the earlier stream if it left a life of the thread open; else 0.
    uint64_t open_life() const { return earlier_.open_life; }
    // Another stream comes.
    void start_over();

    // `end`: null if the owner has closed the stream. False, after a message, if writing fails.
    bool write(const OwnerEnd* end) const;
    // Call when the stream has ended: keeps its facts for the next stream in its place.
    void hand_on(const OwnerEnd* end) const;

 private:
    Json now(const OwnerEnd* end) const;
    uint64_t go_on_with_earlier(Json& metadata) const;
    uint64_t clock_of(const OwnerEnd& end) const;

    DrainedRing& ring_;
    const StreamPlace& place_;
    const StreamGaps& gaps_;
    EndedStreams& ended_;
    EndedStream earlier_;
    bool goes_on_by_owner_ = false;
};

}  // namespace ovni::writer
