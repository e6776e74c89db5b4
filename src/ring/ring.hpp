// A ring: the file that holds the newest events of one thread until a drainer has written them into its
// stream. The traced process maps it and appends; the drainer, in this process or another one, follows.
// Published events survive the death of the process.
//
// Layout: RingHeader (header_bytes), the data of two nested rings for signal handlers, the data of the ring
// itself, a page of slack. The ring of a thread without events is small. Positions count bytes since the ring
// was opened; position p lies at p % capacity. Published events are complete and do not change. In a nested
// ring each event follows its position in the main ring.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "ring/gaps.hpp"
#include "ring/process_life.hpp"
#include "ring/stream_form.hpp"

namespace ovni::writer {

// The owner moves a ring through these states. The drainer only moves it from closed to done.
enum class RingState : uint32_t { fresh, open, closed, done };

// How a stream ended. running: the stream has not ended, but is complete enough to be read.
enum class RingEnd : uint32_t { in_order, exit, signal, recovered, exec, running };

// A gap in the stream: the events from one clock to another are missing before the event at `position`.
struct RingNote {
    uint64_t position, from, to, lost;
    char reason[16];
};

inline RingNote note_of(const Gap& gap, uint64_t position) {
    RingNote note{position, gap.from, gap.to, gap.lost, {}};
    memcpy(note.reason, gap.reason.data(), std::min(gap.reason.size(), sizeof note.reason));
    return note;
}

// Events of handlers that interrupted an emission of their thread; one nested ring per depth.
struct NestedRing {
    alignas(64) std::atomic<uint64_t> published;
    std::atomic<uint64_t> lost;  // events for which there was no room
    // The first lost event that the drainer has not recorded as a gap: its clock, and its position in the
    // main ring.
    std::atomic<uint64_t> lost_from, lost_at;
    // Written by the drainer.
    std::atomic<uint64_t> drained;
    std::atomic<uint64_t> lost_recorded;  // lost events that are recorded in a gap
};

// The clocks and number of missing events: given up by the flight recorder since the last event that it
// wrote, or those of gaps. None if `to` is 0. `off_from` shows whether recording was off meanwhile.
struct Skipped {
    uint64_t from, to, events;
    uint64_t off_from;  // clock when recording ended; 0: it was on
};

// The drainer's progress in the ring and in stream.obs, and the gaps that it could not write.
struct RingProgress {
    uint64_t drained, last_block;
    uint64_t stream_end;        // the offset of the next event in the plain stream
    uint64_t file_end;          // bytes of the file: equal, unless it is packed
    uint64_t written;           // bytes written to the file since this opening of the ring
    uint64_t last_of_handlers;  // the newest clock of handlers' events in that block
    uint64_t nested_drained[2], nested_lost_recorded[2];
    uint64_t lost;
    Skipped skipped;
    GapMark gaps;         // gaps in the file behind this mark are not valid
    Skipped unsaved;      // gaps behind the mark that found no room on disk, joined into one
    uint64_t unsaved_at;  // the offset of the first of them
    uint32_t notes_taken;
    StreamForm form;  // of the file
};

// For a thread that emits into a shared buffer: progress of the moves from there into the ring.
struct RingMoved {
    uint64_t head;    // of the ring; 0 before the first event
    uint64_t stored;  // the first parts of an event lie from head to here
    uint64_t taken;   // records of the buffer before this position were moved
    uint64_t last;    // the newest clock
    uint64_t lost, raised;
    uint32_t notes_added;
    uint32_t in_region;  // 1: of unsorted events
    uint32_t is_torn;    // 1: a part of the present event found no room, its other parts are skipped
};

// How the thread ended, if it or its process exited regularly.
enum class ExitInOrder : uint32_t {
    no,
    at_end,  // at its end, or in exit()
    amid,    // another thread called exit() meanwhile
    before,  // before the process
};

// Whether the place of the stream is settled. Before that nothing is written, and the first bytes may change.
enum class RingPlace : uint32_t {
    unknown,   // the identity of the process is not known yet
    noted,     // a place is noted, and either side may settle it
    changing,  // the owner is changing the note
    settled,
};

struct RingHeader {  // NOLINT(clang-analyzer-optin.performance.Padding): what each side writes lies apart
    static constexpr uint64_t magic_number = 0x64676e69726e766f;  // "ovnringd"
    static constexpr uint32_t nested_rings = 2;
    static constexpr uint32_t most_notes = 512;

    uint64_t magic;
    uint64_t capacity, nested_capacity;
    uint64_t process_start;   // from /proc/PID/stat: with the pid, it identifies the process
    uint64_t image;           // changes with exec
    uint64_t limit;           // bytes that the process may write, 0: any number
    uint64_t written_before;  // bytes on disk, of earlier openings of the ring
    uint64_t kept;            // flight recorder: this many newest bytes stay in the ring until requested
    uint64_t pid_space;       // the namespace of the pid
    uint64_t flush_age;       // ns that events of a packed stream wait at most for others in their block
    StreamForm form;          // of a file that begins
    int32_t pid, tid;
    int64_t time_offset;  // as in the run directory

    // Written by the owner.
    alignas(64) std::atomic<uint64_t> published;
    alignas(64) std::atomic<RingState> state;
    std::atomic<uint32_t> generation;  // of opening
    std::atomic<uint64_t> opened;      // which opening of a ring in the run directory, from 1
    std::atomic<uint64_t> opened_at;   // by the clock of events
    std::atomic<RingPlace> place;
    std::atomic<uint32_t> begin_bytes;  // a stream with only these first bytes is not written
    std::atomic<uint32_t> has_row;  // 1: it is written at its end nevertheless, because its thread has a row
    std::atomic<uint32_t> continues;  // 1: continues the stream that exists in its place
    std::atomic<uint32_t> at_once;    // 1: the stream is on disk even without events
    std::atomic<uint32_t> metadata_changes;
    std::atomic<uint32_t> life_is_ours;  // 1: the library has to write the OHe
    std::atomic<uint32_t> lives;         // 1: by its events, the thread has begun and not ended
    std::atomic<uint64_t> end_clock;     // of that OHe, if not 0
    char name[16];                       // of the thread, if it has one; zero terminated
    std::atomic<RingEnd> end;
    std::atomic<int32_t> end_code;
    std::atomic<ExitInOrder> exit_in_order;
    std::atomic<uint64_t> raised;  // events with a clock older than the previous event's
    std::atomic<uint32_t> notes_added;
    std::atomic<uint32_t> readings;       // number of requests for a readable stream; any process may add
    std::atomic<uint64_t> wanted;         // kept events up to here are to be written; any process may set it
    std::atomic<uint64_t> needed;         // the room of events before this position is needed
    std::atomic<uint32_t> shared;         // 1 + number of the shared buffer that events come through; 0: none
    std::atomic<uint64_t> shared_end;     // if closed: its events in the buffer lie before this position
    std::atomic<uint64_t> lost_unmarked;  // if closed: number of events lost after the last one
    std::atomic<uint64_t> lost_elsewhere;  // events of threads of the process that got no ring
    std::atomic<uint32_t> late_note_changes, late_note_bytes;  // see late_note.hpp

    // Written by the drainer if events come through a shared buffer; the drainer also writes `published` and
    // `notes_added` then. Only the current one of the two records is valid.
    std::atomic<uint32_t> current_moved;
    RingMoved moved[2];

    // Written by the drainer. It fills one record of `progress` and then makes it the current one, so that
    // another drainer finds consistent numbers. The other fields are for the owner.
    alignas(64) std::atomic<uint64_t> drained;
    std::atomic<uint64_t> refused;  // events before it wait for room on disk; any process may set it to 0
    std::atomic<uint32_t> readings_made;
    std::atomic<uint32_t> drained_blocks;  // futex: changes when the drainer has made progress
    std::atomic<uint32_t> notes_taken;
    std::atomic<uint32_t> in_trace;  // 1: the stream's files are in the trace directory
    std::atomic<uint32_t> aside;     // 1: another process uses the place, the stream lies next to it
    std::atomic<uint32_t> current;
    RingProgress progress[2];

    NestedRing nested[nested_rings];
    RingNote notes[most_notes];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// A mapped ring file.
class Ring {
 public:
    static constexpr size_t header_bytes = 32768;
    static constexpr size_t slack_bytes = 4096;
    static constexpr size_t nested_bytes = size_t{256} << 10, small_nested_bytes = 4096;
    static constexpr size_t small = 8192;  // capacity of a ring of a thread without events
    static constexpr size_t bytes_before_data = header_bytes + RingHeader::nested_rings * nested_bytes;

    static constexpr size_t nested_bytes_of(size_t capacity) {
        return capacity == small ? small_nested_bytes : nested_bytes;
    }
    static constexpr size_t file_bytes(size_t capacity) {
        return header_bytes + RingHeader::nested_rings * nested_bytes_of(capacity) + capacity + slack_bytes;
    }

    Ring() = default;
    Ring(Ring&& other) noexcept;
    Ring& operator=(Ring&& other) noexcept;
    ~Ring();

    // Makes and maps a file with all its memory allocated. Not mapped, with errno, if there is no room.
    static Ring create(const std::string& path, size_t capacity);
    // Maps a complete file. Not mapped, with errno, if it is no ring of this version.
    static Ring open(const std::string& path);

    bool is_mapped() const { return base_ != nullptr; }
    // False if the header is inconsistent: a faulty program may overwrite it.
    bool is_sound() const;
    RingHeader& header() const { return *reinterpret_cast<RingHeader*>(base_); }
    std::span<uint8_t> after_header() const {
        return {base_ + sizeof(RingHeader), header_bytes - sizeof(RingHeader)};
    }
    uint8_t* data() const { return nested_data(RingHeader::nested_rings); }
    uint8_t* nested_data(uint32_t depth) const { return base_ + header_bytes + depth * nested_capacity(); }
    uint64_t capacity() const { return capacity_; }
    uint64_t nested_capacity() const { return nested_bytes_of(capacity_); }
    bool is_small() const { return capacity_ == small; }
    // The bytes at a position, and how many follow before the data wraps.
    uint8_t* at(uint64_t position) const { return data() + position % capacity(); }
    uint64_t contiguous(uint64_t position) const { return capacity() - position % capacity(); }
    // Copy bytes to and from a position, across the end of the data if necessary.
    void put(uint64_t position, const void* bytes, size_t size) const {
        size_t first = std::min<size_t>(size, contiguous(position));
        memcpy(at(position), bytes, first);
        memcpy(data(), static_cast<const uint8_t*>(bytes) + first, size - first);
    }
    void get(uint64_t position, void* bytes, size_t size) const {
        size_t first = std::min<size_t>(size, contiguous(position));
        memcpy(bytes, at(position), first);
        memcpy(static_cast<uint8_t*>(bytes) + first, data(), size - first);
    }

 private:
    Ring(uint8_t* base, size_t capacity) : base_(base), capacity_(capacity) {}

    uint8_t* base_ = nullptr;
    size_t capacity_ = 0;
};
static_assert(sizeof(RingHeader) <= Ring::header_bytes);

// Requests that events up to `position` are written to the stream, even if a flight recorder keeps them.
void ask_for(RingHeader& ring, uint64_t position);

// True if the ring has no events that need a stream.
inline bool is_empty(const RingHeader& ring) {
    const uint64_t least = ring.begin_bytes.load(std::memory_order_acquire);
    return ring.published.load(std::memory_order_acquire) <= least &&
           ring.progress[ring.current.load(std::memory_order_acquire) % 2].file_end == 0 &&
           !ring.at_once.load(std::memory_order_relaxed) && !ring.has_row.load(std::memory_order_relaxed);
}

// True if the drainer has written the events before `position`, or has tried to.
inline bool has_been_tried(const RingHeader& ring, uint64_t position) {
    return std::max(ring.drained.load(std::memory_order_acquire),
                    ring.refused.load(std::memory_order_acquire)) >= position;
}

// True if no more events will be added to the ring.
inline bool is_over(const RingHeader& ring) {
    return ring.state.load(std::memory_order_acquire) >= RingState::closed;
}

inline ProcessId owner_of(const RingHeader& ring) {
    return {ring.pid, ring.process_start, ring.pid_space};
}

// True if the process that opened the ring lives, or if that is unknown.
inline bool owner_lives(const RingHeader& ring) {
    return may_live(owner_of(ring));
}

}  // namespace ovni::writer
