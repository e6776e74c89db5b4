// The drainer's side of one stream: writes published events from its ring into its files, and ends the stream
// when the owner has closed the ring or is dead. It decides the order of steps; its members do the work: the
// ring and its progress (DrainedRing), where the files are (StreamPlace), stream.obs and stream.crc
// (EventFiles), the gaps (StreamGaps), stream.json (MetadataFile), writing from the ring into the files
// (BlockWriter), waiting for more events (BlockDelay), and for room on disk (FullDisk). All state is in the
// ring, so another drainer may take over at any time: it cuts off what is behind the progress, and goes on.
//
// If the disk cannot take events, they stay in the ring. A living thread loses the older ones when its ring
// is half full, so that no thread waits. A thread that ends loses them. Events of a dead process stay for
// another attempt, and the ring is not done.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "drain/block_delay.hpp"
#include "drain/block_writer.hpp"
#include "drain/drained_ring.hpp"
#include "drain/ended_streams.hpp"
#include "drain/event_files.hpp"
#include "drain/full_disk.hpp"
#include "drain/metadata_file.hpp"
#include "drain/stream_gaps.hpp"
#include "drain/stream_place.hpp"
#include "ring/event.hpp"

namespace ovni::writer {

class DrainedStream {
 public:
    // `written`: bytes on disk of all streams of the process, for its limit. `ended`: streams of the run
    // directory.
    DrainedStream(Ring ring, std::string note_path, std::shared_ptr<uint64_t> written, EndedStreams& ended,
                  StreamPacker& packer)
        : ring_(std::move(ring)),
          place_(ring_, std::move(note_path), ended),
          files_(ring_, place_, packer),
          gaps_(ring_, place_),
          metadata_(ring_, place_, gaps_, ended),
          disk_(ring_),
          delay_(ring_),
          blocks_(ring_, files_, gaps_, disk_, std::move(written)) {}
    DrainedStream(const DrainedStream&) = delete;
    DrainedStream& operator=(const DrainedStream&) = delete;

    // If the stream is placed, writes the published events, except for those that a flight recorder keeps or
    // that wait for a block. Returns how much of the ring was filled since the last call, 0 to 1.
    double drain(Patience patience = Patience::usual);
    // Call if the owner has closed the ring, or is dead. Writes all events and ends the stream; then the ring
    // is done. False if events could not be written and stay in the ring.
    bool finish(const OwnerEnd& end);
    // True if finish() returned false: passes leave the ring alone.
    bool is_stuck() const { return is_stuck_; }

    RingHeader& header() const { return ring_.header(); }
    const Ring& ring() const { return ring_.ring(); }
    // Bytes written to disk from this ring, over all threads that used it.
    uint64_t written() const { return header().written_before + ring_.progress().written; }
    bool has_begun() const { return ring_.progress().file_end > 0; }
    // Closes the files; they are opened again when needed.
    void rest() { files_.rest(); }

 private:
    void start_over();
    bool prepare();
    bool begin();
    void take_up();
    bool write(uint64_t published, bool is_crowded);
    bool make_readable();
    bool follow(Handled handled);
    bool keep();
    void forget();
    bool end_our_life(const OwnerEnd& end);
    bool end_stream(const OwnerEnd& end, bool is_closed);
    bool write_rest(const OwnerEnd& end);
    bool end_files(const OwnerEnd* end);

    DrainedRing ring_;
    StreamPlace place_;
    EventFiles files_;
    StreamGaps gaps_;
    MetadataFile metadata_;
    FullDisk disk_;
    BlockDelay delay_;
    BlockWriter blocks_;
    uint64_t seen_ = 0;  // published when drain() was called last
    bool is_prepared_ = false;
    bool is_stuck_ = false;
};

}  // namespace ovni::writer
