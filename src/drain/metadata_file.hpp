// stream.json: what the owner has noted, what the drainer has counted, how the stream ended, and what an
// earlier stream in its place had said.
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

    // Finds the stream that this one goes on with, if there is one. The ring says so from then on.
    void find_earlier();
    // Its last clock if it left a life of the thread open; else 0.
    uint64_t open_life() const { return earlier_.open_life; }
    // Another stream comes.
    void start_over();

    // `end`: of a stream that its owner has not closed. False, after a message, if the disk refuses.
    bool write(const OwnerEnd* end) const;
    // The stream has ended: the next one in its place goes on with what it says.
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
