// Hands out the events of several streams in one order: by corrected clock, and for equal clocks
//
// - canonical: by stream index, then position in the stream;
// - exact: as the reference plays them (see tie_order.hpp). The reference knows neither damage, nor cuts, nor
//   gaps. These follow the event before them at once, if they are at its clock; the beginning or end of a gap
//   at a clock of its own comes before all events of that clock.
//
// EventView::order is the key among events of one clock. Canonical: the stream index, so that events of
// several mergers over different streams can be put together. Exact: `first_place` plus the place among the
// events of that clock. An item that follows its event at once has that event's key; an item that comes
// before all events has its stream index.
//
// Works in windows: every stream is decoded up to a common time, the entries are put in order, then handed
// out. Until then the readers hold their bytes. The width of a window follows the density of events, and
// their bytes are bounded, so memory does not grow with the length of the trace; only in exact order must all
// events of one clock fit. Damage found while decoding ahead is thrown when its turn comes: after the last
// good event of that stream and before any later one.
//
// If clocks may decrease (ClockOrder::any, canonical only), a stream counts with the largest clock that it
// has had so far. That is the order of a merge which always plays the stream whose current event has the
// lowest clock: an event with a decreased clock follows its predecessor at once.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "base/prefetch.hpp"
#include "trace/event_window.hpp"
#include "trace/stream_reader.hpp"
#include "trace/tie_counter.hpp"
#include "trace/tie_order.hpp"

namespace ovni {

enum class EventOrder { canonical, exact };

class Merger {
 public:
    static constexpr uint32_t first_place = 1 << 24;  // greater than any stream index

    // `readers` in any order, none of them advanced yet.
    explicit Merger(std::vector<StreamReader> readers, EventOrder order = EventOrder::canonical);

    // The next event of all streams; nullptr at the end. Valid until the next call. Throws the Error of a
    // damaged stream in its place; damaged_stream() then names that stream, whose later events are not handed
    // out. A stream whose first event is damaged is reported before all events.
    const EventView* next() {
        if (current_ == end_ && !fill()) return nullptr;
        const Entry& entry = *current_++;
        fetch_ahead();
        if (entry.source == EventWindow::special) [[unlikely]]
            return next_special(entry);
        const Source& source = sources_[entry.source];
        uint32_t at = entry.at;
        if (copies_) {
            const EventWindow::Copy& copy = copies_[at];
            at = copy.at;
            view_.bytes = ovni_format_is_jumbo(copy.bytes[0]) ? source.bytes + at : copy.bytes;
        } else {
            view_.bytes = source.bytes + at;
        }
        view_.offset = source.sorts ? window_.readers()[entry.source].offset_in_file(source.offset + at)
                                    : source.offset + at;
        view_.code = EventCode::from_bits(entry.code);
        view_.stream = source.stream;
        view_.order = order_ == EventOrder::canonical ? source.stream : orders_[index_of(entry)];
        view_.clock = clocks_ == ClockOrder::checked
                          ? start_ + entry.time
                          : window_.readers()[entry.source].clock().corrected(view_.raw_clock());
        return &view_;
    }
    // The event that next() hands out `distance` calls after the next one, so that its consumer can fetch
    // what it will need. Only if there are so many streams that this is worth it.
    struct Later {
        uint32_t stream;
        EventCode code;
    };
    static constexpr std::ptrdiff_t farthest = 40;
    template <std::ptrdiff_t Distance>
    std::optional<Later> later() const {
        static_assert(Distance <= farthest);
        if (current_ >= fetch_until_) return std::nullopt;
        const Entry& entry = current_[Distance];
        if (entry.source == EventWindow::special) [[unlikely]]
            return std::nullopt;
        return Later{sources_[entry.source].stream, EventCode::from_bits(entry.code)};
    }

    uint32_t damaged_stream() const { return damaged_stream_; }
    // EventView::order of the damage.
    uint32_t damaged_order() const { return damaged_order_; }
    // Clock of the last good event of that stream; INT64_MIN if it has none.
    int64_t damaged_clock() const { return damaged_clock_; }

    // From now on counts the events that share their clock with an event of another stream of their group.
    // `group_of_stream`: by stream index.
    void count_ties(std::vector<uint32_t> group_of_stream) {
        tie_counter_.emplace(std::move(group_of_stream));
    }
    // Ties among the events handed out, to the precision of a window.
    uint64_t ties() const { return tie_counter_ ? tie_counter_->ties() : 0; }

    // Bytes of events: in all streams; handed out so far, to the precision of a window.
    uint64_t size() const { return window_.size(); }
    uint64_t consumed() const { return consumed_; }

 private:
    using Entry = EventWindow::Entry;
    static constexpr uint32_t first_width = 1 << 20;

    // The data needed to hand out events of a reader.
    struct Source {
        const uint8_t* bytes;  // what Entry::at counts from, in memory and in the file
        uint64_t offset;
        uint32_t stream;
        bool sorts;  // unsorted regions
    };
    // The rest of a stream's entries in the window.
    struct Cursor {
        uint32_t at, end;
    };

    void fetch_ahead() const {
        if (current_ >= fetch_until_) return;
        const Entry& later = current_[farthest];
        if (later.source != EventWindow::special) prefetch(&copies_[later.at]);
    }

    bool fill();  // decodes the next window and puts it in order; false at the end
    void decode_window(int64_t start);
    void find_memory();
    void adapt_width();
    void make_room();
    void put_in_order();
    void play();
    void sort();
    void insertion_sort();
    void radix_sort();
    void apply_ties();
    void order_group(size_t begin, size_t end);
    uint32_t stream_of(const Entry& entry) const;
    size_t index_of(const Entry& entry) const { return static_cast<size_t>(&entry - first_); }
    void count_window_ties();
    const EventView* next_special(const Entry& entry);

    EventWindow window_;
    std::vector<Source> sources_;
    EventOrder order_;
    ClockOrder clocks_ = ClockOrder::checked;
    HeapReplay replay_;
    Ties ties_;
    std::optional<TieCounter> tie_counter_;

    const Entry *first_ = nullptr, *current_ = nullptr, *end_ = nullptr;  // of the window
    const EventWindow::Copy* copies_ = nullptr;
    const Entry* fetch_until_ = nullptr;  // with copies only
    HugeArray<Entry> scratch_;
    std::vector<uint32_t> orders_;  // by entry; not in canonical order
    std::vector<Cursor> cursors_;   // by source
    int64_t start_ = 0;             // clock at which the window starts
    uint32_t width_ = first_width;  // ns; the last clock of the window is start_ + width_
    uint64_t consumed_ = 0;
    int64_t last_clock_ = INT64_MIN;  // of the windows before
    EventView view_, special_view_;
    uint32_t damaged_stream_ = 0, damaged_order_ = 0;
    int64_t damaged_clock_ = 0;
};

}  // namespace ovni
