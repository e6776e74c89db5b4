// Forward cursor over the events of one stream. Maps the file when it is made; every event handed out lies
// completely inside the file. Damage is thrown as Error with file and byte offset, after all events before it
// were handed out.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "trace/event_view.hpp"

namespace ovni {

// Emulation needs clocks that never decrease; ovnidump, ovnitop and ovnisort take what there is.
enum class ClockOrder { checked, any };

struct StreamSource {
    std::filesystem::path directory;  // holds stream.obs, and stream.gaps.json where recording had gaps
    uint32_t index = 0;               // of the stream in its trace
    int64_t clock_offset = 0;         // ns, added to every raw clock
    ClockOrder order = ClockOrder::checked;
    bool ended_by_force = false;  // hand out Kind::cut after the last event, if there is any
};

class StreamReader {
 public:
    // Throws Error where the file is missing, empty, shorter than its header, or has another magic or
    // version, and where stream.gaps.json is damaged.
    explicit StreamReader(StreamSource source);

    // Goes to the next event; false at the end of the stream. Throws Error at an event that does not fit into
    // the file, and, with ClockOrder::checked, at a clock below its predecessor's (the first: below 0). After
    // an Error the reader stays where it is.
    bool next() { return plain_ ? next_event() : next_of_kind(); }
    // The current event: valid after next() returned true.
    const EventView& event() const { return at_.event; }
    // Corrected clock of the first event, or of a gap before it, without going there; nothing where there is
    // none or it does not fit.
    std::optional<int64_t> first_clock() const;
    uint32_t index() const { return source_.index; }
    int64_t clock_offset() const { return source_.clock_offset; }
    ClockOrder order() const { return source_.order; }
    const std::string& path() const { return path_; }
    // The whole file; EventView::offset counts from its beginning.
    const uint8_t* bytes() const { return bytes_; }
    // Bytes of events in the file, and how many of them were handed out.
    uint64_t size() const { return end_ - OVNI_FORMAT_STREAM_HEADER; }
    uint64_t consumed() const { return at_.next - OVNI_FORMAT_STREAM_HEADER; }

    // Does take() apply? There is nothing but events, and their clocks never decrease.
    bool is_plain() const { return plain_ && source_.order == ClockOrder::checked; }
    // Hands the current event and those after it to `taker(clock, offset)`, as long as their clocks are at
    // most `limit` and `most` is not reached, and goes to the first that was not taken; false where that is
    // the end of the stream. Throws as next() does. The fast way for many events.
    template <class Taker>
    bool take(int64_t limit, size_t most, Taker taker);

    // Where the reader is, to come back to: plain data.
    struct Position {
        uint64_t next = OVNI_FORMAT_STREAM_HEADER;  // offset of the event after the current one
        int64_t clock = 0;                          // of the current event; what the next must not go below
        size_t gap = 0;                             // the next gap to begin
        const Gap* open_gap = nullptr;              // begun and not ended
        bool was_cut = false;                       // Kind::cut was handed out
        EventView event;
    };
    const Position& position() const { return at_; }
    void seek(const Position& position) { at_ = position; }

 private:
    bool next_event() {
        const uint8_t* event = bytes_ + at_.next;
        uint64_t left = end_ - at_.next;
        uint64_t size = ovni_format_event_size(event, left);
        if (size - 1 >= left) [[unlikely]]
            return end_or_damage(left, size);
        int64_t clock = 0;
        if (__builtin_add_overflow(static_cast<int64_t>(ovni_format_clock(event)), source_.clock_offset,
                                   &clock) ||
            (clock < at_.clock && source_.order == ClockOrder::checked)) [[unlikely]]
            wrong_clock();
        at_.event = {clock, event, nullptr, at_.next, source_.index, EventView::Kind::event};
        at_.clock = clock;
        at_.next += size;
        return true;
    }
    bool next_of_kind();
    bool next_gap();
    bool end_or_damage(uint64_t left, uint64_t size) const;
    [[noreturn]] void wrong_clock() const;
    bool begin_gap();
    bool end_gap();
    bool cut();

    StreamSource source_;
    std::string path_;
    MappedFile file_;
    const uint8_t* bytes_ = nullptr;
    uint64_t end_ = 0;  // size of the file
    std::vector<Gap> gaps_;
    bool plain_ = true;  // nothing but events
    Position at_;
};

template <class Taker>
bool StreamReader::take(int64_t limit, size_t most, Taker taker) {
    uint64_t offset = at_.event.offset, next_offset = at_.next;
    int64_t clock = at_.clock;
    auto stand = [&] {
        at_.event = {clock, bytes_ + offset, nullptr, offset, source_.index, EventView::Kind::event};
        at_.clock = clock;
        at_.next = next_offset;
    };
    const uint8_t* bytes = bytes_;
    const uint64_t last_whole = end_ - std::min<uint64_t>(end_, OVNI_FORMAT_EVENT_MAX);
    for (; clock <= limit && most > 0; --most) {
        taker(clock, offset);
        const uint8_t* event = bytes + next_offset;
        int64_t next_clock = 0;
        // Jumbo events, the last bytes of the file, and faults.
        if (next_offset > last_whole || ovni_format_is_jumbo(event[0]) ||
            __builtin_add_overflow(static_cast<int64_t>(ovni_format_clock(event)), source_.clock_offset,
                                   &next_clock) ||
            next_clock < clock) [[unlikely]] {
            stand();
            if (!next_event()) return false;
            offset = at_.event.offset;
            next_offset = at_.next;
            clock = at_.clock;
            continue;
        }
        offset = next_offset;
        next_offset += OVNI_FORMAT_EVENT_HEADER + ovni_format_payload(event[0]);
        clock = next_clock;
    }
    stand();
    return true;
}

}  // namespace ovni
