// Writes blocks of published events from the ring into the files, gives up events for which a flight recorder
// or a full disk has no room, and counts losses. The ring's progress is committed after the files are
// written, so a drainer that takes over goes on from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "drain/drained_ring.hpp"
#include "drain/event_files.hpp"
#include "drain/full_disk.hpp"
#include "drain/ring_block.hpp"
#include "drain/stream_gaps.hpp"
#include "ring/event.hpp"

namespace ovni::writer {

// The result of an attempt to write events.
enum class Handled {
    done,  // written, or lost and counted
    wait,  // not writable: they stay in the ring until the next attempt
    kept,  // not writable, and the owner is dead: they stay in the ring for another drainer
};

class BlockWriter {
 public:
    // `written`: bytes on disk of all streams of the process, for its limit.
    BlockWriter(DrainedRing& ring, EventFiles& files, StreamGaps& gaps, FullDisk& disk,
                std::shared_ptr<uint64_t> written)
        : ring_(ring), files_(files), gaps_(gaps), disk_(disk), written_(std::move(written)) {}

    // Writes the events that are due while the stream is open. Only here events may wait.
    Handled write_published(uint64_t published);
    // Writes all at the end of the stream.
    Handled write_last(uint64_t published) { return write_newest(published, true); }
    // Makes room in a crowded ring: the older events are written, or lost.
    Handled give_up_older(uint64_t published);
    // Writes an event in the name of a dead owner.
    Handled append(const Event& event);
    void commit(RingProgress after);

 private:
    Handled write_open(uint64_t published);
    Handled write_until(uint64_t end, bool all);
    Handled write_newest(uint64_t end, bool all);
    Handled give_up_until(uint64_t target);
    Handled settle(const EventPieces& events, const Written& done, RingProgress after,
                   std::vector<Gap> behind = {});
    Written write(const EventPieces& events);
    void report_refusal() const;
    Written shorten(RingBlock& block, const RingProgress& before, const Written& done);
    void lose(const EventPieces& events, const Written& done, RingProgress& after);

    DrainedRing& ring_;
    EventFiles& files_;
    StreamGaps& gaps_;
    FullDisk& disk_;
    std::shared_ptr<uint64_t> written_;
    bool may_wait_ = false;  // events may stay in the ring if they cannot be written
};

}  // namespace ovni::writer
