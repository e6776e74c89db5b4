// Hands out the events of several streams in canonical order: (corrected clock, stream index, position in the
// stream).
//
// Works in windows: every stream is decoded up to a common time, the entries are sorted stably by time, then
// handed out; until then the readers hold their bytes. The width of a window follows the density of events,
// and their bytes are bounded, so memory does not grow with the length of the trace. Damage that is found
// while decoding ahead is thrown when its turn comes: after the last good event of that stream and before any
// later one.
//
// Where clocks may decrease (ClockOrder::any), a stream counts with the largest clock that it has had so far.
// That is the order of a merge which always plays the stream whose current event has the lowest clock: an
// event with a decreased clock follows its predecessor at once.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "trace/stream_reader.hpp"

namespace ovni {

class Merger {
 public:
    // `readers` in any order, none of them advanced yet.
    explicit Merger(std::vector<StreamReader> readers);

    // The next event of all streams; nullptr at the end. Valid until the next call. Throws the Error of a
    // damaged stream in its place; `damaged_stream()` then tells which stream it was, and the events after it
    // are not handed out. A stream whose first event is damaged is reported before all events.
    const EventView* next() {
        if (current_ == entries_count_ && !fill()) return nullptr;
        const Entry& entry = entries_[current_++];
        if (entry.source == special) [[unlikely]]
            return next_special(entry);
        const Source& source = sources_[entry.source];
        view_.bytes = source.memory.bytes + (entry.at - source.memory.begin);
        view_.offset = source.sorts ? readers_[entry.source].offset_in_file(entry.at) : entry.at;
        view_.stream = source.stream;
        view_.clock =
            order_ == ClockOrder::checked ? start_ + entry.time : view_.raw_clock() + source.clock_offset;
        return &view_;
    }
    uint32_t damaged_stream() const { return damaged_stream_; }
    // Clock of the last good event of that stream; INT64_MIN where it has none.
    int64_t damaged_clock() const { return damaged_clock_; }

    // Bytes of events: in all streams, and handed out so far (to the precision of a window).
    uint64_t size() const;
    uint64_t consumed() const { return consumed_; }

 private:
    static constexpr uint32_t first_width = 1 << 20;
    static constexpr uint32_t special = 0x80000000;  // in Entry::source: `at` is an index in specials_

    struct Entry {
        uint32_t time;    // since start_
        uint32_t source;  // index in sources_
        uint64_t at;      // offset in the file, its regions sorted
    };
    // What an Entry cannot say: one of the other kinds, or damage.
    struct Special {
        EventView view;
        std::exception_ptr damage;
        uint32_t stream = 0;
    };
    // What is needed to hand out events of a reader.
    struct Source {
        StreamReader::Memory memory;  // while a window is handed out
        int64_t clock_offset;
        uint32_t stream;
        bool sorts;  // unsorted regions
    };
    // The next event of a reader, its current one: not in the window yet.
    struct Head {
        int64_t key = 0;  // largest clock so far
        enum class State : uint8_t { event, damaged, finished } state = State::event;
    };
    struct Saved {
        uint32_t source;
        Head head;
        StreamReader::Position position;
    };

    bool fill();  // decodes and sorts the next window; false at the end
    bool find_start();
    bool decode_window();
    bool decode(uint32_t source, int64_t limit);
    bool is_full(uint32_t source) const;
    void decode_plain(uint32_t source, int64_t limit);
    void append(uint32_t source);
    void append_special(uint32_t source, Special what);
    void advance(uint32_t source);
    void rewind();
    void adapt_width();
    void sort();
    void insertion_sort();
    void radix_sort();
    const EventView* next_special(const Entry& entry);

    std::vector<StreamReader> readers_;  // by stream index
    std::vector<Source> sources_;
    std::vector<Head> heads_;
    std::vector<std::exception_ptr> damage_;  // of heads that are damaged
    std::vector<Saved> saved_;                // heads that moved in this window, as they were before
    std::vector<Special> specials_;
    ClockOrder order_ = ClockOrder::checked;

    std::unique_ptr<Entry[]> entries_, scratch_;
    size_t capacity_ = 0, wanted_ = 0;
    uint64_t bytes_left_ = 0;  // that the window may still hold
    size_t entries_count_ = 0, current_ = 0;
    int64_t start_ = 0;             // key at which the window starts
    uint32_t width_ = first_width;  // ns; the last key of the window is start_ + width_
    uint64_t consumed_ = 0;
    EventView view_;
    uint32_t damaged_stream_ = 0;
    int64_t damaged_clock_ = 0;
};

}  // namespace ovni
