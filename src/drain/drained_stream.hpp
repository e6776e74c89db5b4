// The drainer's side of one ring: brings what is published into stream.obs, keeps the files next to it, and
// ends the stream when its owner has closed the ring or is dead. All that is needed to go on is in the ring,
// so another drainer may take over at any time: it writes equal bytes to an equal place.
//
// If a disk refuses, the events stay in the ring: those of a living thread until it is half full, then the
// older ones are lost, so that no thread waits, and those of a thread that ends are lost; those of a dead
// process for another attempt, and the ring is not done.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drain/ended_streams.hpp"
#include "drain/ring_block.hpp"
#include "drain/stream_file.hpp"
#include "ring/event.hpp"
#include "ring/gaps.hpp"
#include "ring/stream_note.hpp"

namespace ovni::writer {

class DrainedStream {
 public:
    // `written`: bytes of all streams of the process, for its limit. `ended`: streams of the run directory.
    DrainedStream(Ring ring, std::string note_path, std::shared_ptr<uint64_t> written, EndedStreams& ended)
        : ring_(std::move(ring)),
          note_path_(std::move(note_path)),
          written_(std::move(written)),
          ended_(ended) {}

    // Writes what is published, but for what a flight recorder keeps, once the stream is placed. Returns how
    // full the ring was, 0 to 1.
    double drain();
    // The owner has closed the ring, or is gone: writes all and ends the stream. The ring is done then. False
    // if the ring keeps what could not be written.
    bool finish(const OwnerEnd& end);
    // True if finish() returned false: passes leave the ring alone.
    bool is_stuck() const { return stuck_; }

    RingHeader& header() const { return ring_.header(); }
    const Ring& ring() const { return ring_; }
    // Bytes of events that came from this ring to the disk, whichever thread it served.
    uint64_t written() const { return header().written_before + progress().written; }
    bool has_begun() const { return progress().file_end > 0; }
    // Closes the files; they are opened again when needed.
    void rest() {
        file_.close();
        checksums_.close();
    }

 private:
    void start_over();
    bool prepare();
    bool is_lost() const;
    bool begin();
    void take_up();
    void find_earlier();
    void stay_in_trace();
    bool open_file();
    std::optional<StreamNote> read_note() const;
    bool place_is_of_others();
    void step_aside();
    void make_directories() const;
    bool is_placed();
    bool is_reading_wanted() const;
    bool is_damaged();
    void tell_damage();
    bool make_readable();
    bool write_until(uint64_t end, bool all);
    bool write_newest(uint64_t end, bool all);
    bool give_up_until(uint64_t target);
    bool settle(const EventPieces& events, size_t done, const RingProgress& after);
    bool keep();
    void forget();
    bool wait_for_room(uint64_t file_end);
    bool is_crowded(uint64_t published) const;
    bool lacks_room_beside() const;
    bool write_published(uint64_t published);
    void give_up_older(uint64_t published);
    void tell_refused(uint64_t published);
    size_t shorten(RingBlock& block, const RingProgress& before, size_t done);
    void note_gaps(RingProgress& now, const GapMark& saved) const;
    size_t write(const EventPieces& events, uint64_t offset);
    size_t write_to_limit(const EventPieces& events, uint64_t offset);
    void lose(const EventPieces& events, size_t done, RingProgress& after);
    void add_checksum(const EventPieces& block, uint64_t begin, uint64_t end);
    void commit(const RingProgress& after);
    void announce();
    const RingProgress& progress() const { return header().progress[header().current.load() % 2]; }
    uint64_t last_clock() const;
    uint64_t clock_of(const OwnerEnd& end) const;
    uint64_t lost_here() const;
    void tell_others(const OwnerEnd* end);
    void append(const Event& event);
    bool end_our_life(const OwnerEnd& end);
    bool end_stream(const OwnerEnd& end, bool is_closed);
    bool move_to_trace();
    Json metadata_now(const OwnerEnd* end) const;
    bool write_metadata(const OwnerEnd* end);
    bool write_gaps();
    std::string gaps_path() const;

    Ring ring_;
    std::string note_path_;
    std::shared_ptr<uint64_t> written_;
    EndedStreams& ended_;
    uint32_t generation_ = 0;
    StreamNote note_;
    EndedStream earlier_;
    std::string stray_;  // where the owner thinks that its files are
    bool goes_on_by_owner_ = false;
    bool prepared_ = false;
    bool has_no_checksums_ = false;
    bool stuck_ = false;
    bool damaged_ = false;
    bool limited_ = false;       // the limit cut the last write short
    bool may_wait_ = false;      // events may stay in the ring if the disk refuses them
    uint64_t next_attempt_ = 0;  // by the monotonic clock; 0: the disk took the last events
    StreamFile file_;
    ChecksumFile checksums_;
    Gaps gaps_;
};

}  // namespace ovni::writer
