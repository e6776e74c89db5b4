// Forward cursor over the events of one stream. Reads the file in blocks; every event handed out lies
// completely inside the file and in memory. Damage is thrown as Error with file and byte offset, after all
// events before it were handed out. A block with another checksum (stream.crc) is thrown at its end, or at
// its first wrong event. The events handed out before do not depend on how the file is read.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_window.hpp"
#include "core/clock_line.hpp"
#include "trace/checksums.hpp"
#include "trace/event_view.hpp"
#include "trace/region_plan.hpp"

namespace ovni {

// Emulation needs clocks that never decrease; ovnidump, ovnitop and ovnisort take any.
enum class ClockOrder { checked, any };

// Bytes to read at a time if so many streams are open together: large blocks for few streams, 64 MiB in all
// for many, but never so few that calls of read() dominate.
inline constexpr size_t largest_block = size_t{64} << 10;
constexpr size_t block_for(size_t streams) {
    constexpr size_t all_together = size_t{64} << 20, smallest_block = size_t{8} << 10;
    return std::clamp(std::bit_floor(all_together / std::max<size_t>(streams, 1)), smallest_block,
                      largest_block);
}

struct StreamSource {
    std::string directory;  // holds stream.obs, and stream.gaps.json if recording had gaps
    uint32_t index = 0;     // of the stream in its trace
    ClockLine clock = {};   // corrects every raw clock
    ClockOrder order = ClockOrder::checked;
    bool ended_by_force = false;             // hand out Kind::cut after the last event, if there is any
    std::optional<int64_t> open_until = {};  // its raw clock; none: that of the last event
    size_t block = largest_block;            // bytes to read at a time, at least those of a normal event
    std::optional<RegionPlan> sort = {};     // regions to be sorted while reading, and the gaps that result
    Checksums checksums = Checksums::compared;
    std::optional<uint64_t> until = {};  // as if the file ended there, between two events
};

// The number of bytes that all readers of this process have read so far.
uint64_t bytes_read_of_streams();

class StreamReader {
 public:
    // Throws Error if the file is missing, empty, shorter than its header, or has another magic or version;
    // if stream.gaps.json is damaged; if stream.crc is no file of checksums. If regions are sorted, memory
    // holds one range of them.
    explicit StreamReader(StreamSource source);

    // Goes to the next event; false at the end of the stream. Throws Error at an event that does not fit into
    // the file, with ClockOrder::checked at a clock below its predecessor's (the first: below 0), and behind
    // a block with another checksum. After an Error the reader stays where it is.
    bool next() {
        if (at_.next > in_memory_) [[unlikely]]
            load_next();
        return plain_ ? next_event() : next_of_kind();
    }
    // The current event: valid after next() returned true, until the reader goes on.
    const EventView& event() const { return at_.event; }
    // Corrected clock of the first event, or of a gap before it, without going there. Nothing if there is
    // none or its clock is out of range.
    std::optional<int64_t> first_clock() const { return first_clock_; }
    uint32_t index() const { return source_.index; }
    const ClockLine& clock() const { return source_.clock; }
    ClockOrder order() const { return source_.order; }
    const std::string& path() const { return file_.path(); }
    // The file has packed blocks (ovni/packed.h); all offsets are those of the plain stream in it.
    bool is_packed() const { return file_.is_decoded(); }
    const std::vector<Gap>& gaps() const { return gaps_; }
    // The offset in the file of the event that now lies at `at`. It differs only in a region that was sorted,
    // and is known as long as the event is held.
    uint64_t offset_in_file(uint64_t at) const { return moved_.empty() ? at : offset_before(at); }
    bool sorts() const { return !ranges_.empty(); }
    // From now on the current event and everything behind it that is read stays in memory, until the next
    // call; where it lies may change with every step of the reader.
    void hold() { held_ = std::max(at_.at, file_.begin()); }
    uint64_t held() const { return held_; }  // offset
    // The number of bytes that are held: from the held event up to the next one.
    uint64_t held_bytes() const { return at_.next - held_; }
    // The bytes of the file that are in memory, regions sorted: those from offset `begin` on.
    struct Memory {
        const uint8_t* bytes;
        uint64_t begin;
    };
    Memory memory() const { return {file_.at(file_.begin()), file_.begin()}; }
    // Bytes of events in the file, and how many of them were handed out.
    uint64_t size() const { return end_ - OVNI_FORMAT_STREAM_HEADER; }
    uint64_t consumed() const { return at_.next - OVNI_FORMAT_STREAM_HEADER; }

    // Call if reading stops before the end: reads the block before the present event to its end. Throws Error
    // if the block differs from its checksum.
    void check_what_was_read();

    // True if take() may be used: there is nothing but events.
    bool is_plain() const { return plain_; }
    // The fast way for many events. Hands the current event and its successors to `taker(clock, at, bytes)`,
    // at most `most` and as long as their clocks are at most `limit`. Goes to the first that was not taken;
    // returns false if that is the end of the stream. Throws as next() does. Stops at an event whose clock is
    // below its predecessor's (ClockOrder::any), which becomes the current one. Stops also, some time after
    // the first event, once more than `most_bytes` are held.
    template <class Taker>
    bool take(int64_t limit, size_t most, uint64_t most_bytes, Taker taker);

    // A place of the reader. seek() comes back to it as long as the event there is held.
    struct Position {
        uint64_t at = 0;                            // where the current event is, with regions sorted
        uint64_t next = OVNI_FORMAT_STREAM_HEADER;  // where the one after it is
        int64_t clock = 0;                          // of the current event; the next may not be lower
        size_t gap = 0;                             // the next gap to begin
        const Gap* open_gap = nullptr;              // begun and not ended
        bool was_cut = false;                       // Kind::cut was handed out
        EventView event;
    };
    const Position& position() const { return at_; }
    void seek(const Position& position) {
        at_ = position;
        if (at_.event.bytes) at_.event.bytes = file_.at(at_.at);
    }

 private:
    static constexpr uint64_t nothing = std::numeric_limits<uint64_t>::max();

    // The next event. Call after load() has brought its beginning into memory.
    bool next_event() {
        const uint8_t* event = file_.at(at_.next);
        uint64_t left = end_ - at_.next;
        uint64_t size = ovni_format_event_size(event, left);
        if (size - 1 >= left) [[unlikely]]
            return end_or_damage(left, size);
        int64_t clock = 0;
        if (!source_.clock.correct(static_cast<int64_t>(ovni_format_clock(event)), clock) ||
            (clock < at_.clock && source_.order == ClockOrder::checked)) [[unlikely]]
            wrong_clock();
        if (size > OVNI_FORMAT_EVENT_MAX) [[unlikely]]
            event = load(size);
        at_.at = at_.next;
        at_.event = {clock,
                     event,
                     nullptr,
                     offset_in_file(at_.at),
                     source_.index,
                     EventView::Kind::event,
                     EventCode::from_bytes(event + OVNI_FORMAT_CODE_AT)};
        at_.clock = clock;
        at_.next += size;
        return true;
    }
    void load_next();
    void stop_at(uint64_t until);
    // Brings the next `size` bytes, or all that are left, into memory; returns their address.
    const uint8_t* load(uint64_t size);
    void read_up_to(uint64_t keep, uint64_t to);
    void sort_range();
    uint64_t offset_before(uint64_t at) const;
    bool next_of_kind();
    bool next_gap();
    bool end_or_damage(uint64_t left, uint64_t size) const;
    [[noreturn]] void wrong_clock() const;
    [[noreturn]] void damaged(std::string what) const;
    std::optional<int64_t> find_first_clock() const;
    bool begin_gap();
    bool end_gap();
    bool cut();

    StreamSource source_;
    std::unique_ptr<BlockChecker> checksums_;  // made before the size of the stream is taken: both may grow
    FileWindow file_;
    uint64_t end_ = 0;         // size of the file, or the offset to stop at
    uint64_t in_memory_ = 0;   // up to this offset a normal event is in memory
    uint64_t held_ = nothing;  // offset from which on bytes have to stay
    std::vector<Gap> gaps_;
    std::vector<ByteRange> ranges_;  // to be sorted
    size_t next_range_ = 0;
    std::vector<MovedEvent> moved_;  // of the ranges sorted last
    bool plain_ = true;              // nothing but events
    std::optional<int64_t> first_clock_;
    Position at_;
};

template <class Taker>
bool StreamReader::take(int64_t limit, size_t most, uint64_t most_bytes, Taker taker) {
    uint64_t at = at_.at, following = at_.next;
    int64_t clock = at_.clock;
    auto stand = [&] {
        at_.at = at;
        at_.event = {clock,
                     file_.at(at),
                     nullptr,
                     offset_in_file(at),
                     source_.index,
                     EventView::Kind::event,
                     EventCode::from_bytes(file_.at(at) + OVNI_FORMAT_CODE_AT)};
        at_.clock = clock;
        at_.next = following;
    };
    Memory here = memory();
    const uint8_t* current = file_.at(at);
    for (; clock <= limit && most > 0; --most) {
        taker(clock, at, current);
        const uint8_t* event = here.bytes + (following - here.begin);
        int64_t next_clock = 0;
        // Jumbo events, events not in memory yet, the last bytes of the file, and faults.
        if (following > in_memory_ || ovni_format_is_jumbo(event[0]) ||
            !source_.clock.correct(static_cast<int64_t>(ovni_format_clock(event)), next_clock) ||
            next_clock < clock) [[unlikely]] {
            stand();
            if (!next()) return false;
            bool back = at_.clock < clock;
            at = at_.at;
            following = at_.next;
            clock = at_.clock;
            here = memory();
            current = at_.event.bytes;
            if (back || held_bytes() > most_bytes) break;
            continue;
        }
        at = following;
        current = event;
        following += OVNI_FORMAT_EVENT_HEADER + ovni_format_payload(event[0]);
        clock = next_clock;
    }
    stand();
    return true;
}

}  // namespace ovni
