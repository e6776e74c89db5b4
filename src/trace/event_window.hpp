// The events of several streams in a stretch of time, stream by stream: the input of a merge. Damage found
// while decoding ahead becomes an entry of its own, in its place in its stream.
//
// The readers hold the bytes of the events in the window, see StreamReader::memory().
//
// If clocks may decrease (ClockOrder::any), a stream counts with the largest clock that it has had so far.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "trace/stream_reader.hpp"
#include "trace/tie_order.hpp"

namespace ovni {

class EventWindow {
 public:
    static constexpr uint32_t special = 0x80000000;  // in Entry::source: `at` is an index in specials()
    static constexpr uint32_t widest = HeapReplay::last_time;

    struct Entry {
        uint32_t time;    // since the start of the window
        uint32_t source;  // index of the reader, by stream index
        uint32_t at;      // bytes from where the reader holds its stream, regions sorted; or index of a copy
        uint32_t code;    // EventCode::bits(), which is all that most events need
    };
    // An event of many streams: in order of time they lie all over memory, their copies lie together. Each is
    // in one line of the cache.
    struct Copy {
        uint32_t at;                           // as Entry::at without copies
        uint8_t bytes[OVNI_FORMAT_EVENT_MAX];  // of a jumbo event only the first ones
    };
    static_assert(sizeof(Copy) == 32);
    // An item that an Entry cannot hold: an event of one of the other kinds, or damage.
    struct Special {
        EventView view;
        std::exception_ptr damage;
        uint32_t stream = 0;
    };
    struct Run {
        uint32_t source;
        uint32_t begin, end;  // in entries()
    };

    // `readers` in any order, none of them advanced yet. They hold the bytes of a window's events until the
    // next one is decoded.
    explicit EventWindow(std::vector<StreamReader> readers);

    const std::vector<StreamReader>& readers() const { return readers_; }  // by stream index
    // How many entries make a window worth its cost. Memory is for a few times as many, and for their bytes
    // unless most of them are large jumbo events.
    size_t wanted() const { return wanted_; }
    size_t capacity() const { return capacity_; }

    // The start of the next window: the least clock of the next events; INT64_MIN if a stream is damaged at
    // its beginning. Nothing at the end of all streams.
    std::optional<int64_t> next_start() const;
    // Goes on to the window from `start` to `start` + `width`, both included. Returns false if that does not
    // fit into memory; then call rewind() first of all. A window of one clock value is the exception: it
    // holds the first of its events, and the others come in the next window.
    bool decode(int64_t start, uint32_t width);
    // Goes back to before the last decode().
    void rewind();
    // Makes room for twice as many entries. Call after rewind().
    void grow();

    // Entry::at is the index here; null if entries say where the reader holds the event.
    const Copy* copies() const { return copies_.get(); }
    // After decode(): in the order of streams, and in each stream in its order.
    std::span<Entry> entries() { return {entries_.get(), count_}; }
    const std::vector<Special>& specials() const { return specials_; }
    // How many streams have entries, and which. `end` is right also if the entries were exchanged meanwhile.
    size_t streams() const { return saved_.size(); }
    std::vector<Run> runs() const;
    // The clocks of the events that are not special.
    ClockRuns clocks();
    std::vector<int64_t> next_clocks();
    // Exchanges the memory of entries() for other memory of equal capacity; the length stays.
    void exchange(HugeArray<Entry>& other) { std::swap(entries_, other); }

    uint64_t size() const;      // bytes of events in all streams
    uint64_t consumed() const;  // and up to the end of this window

 private:
    // The next event of a reader, its current one: not in the window yet.
    struct Head {
        int64_t key = 0;  // largest clock so far
        enum class State : uint8_t { event, damaged, finished } state = State::event;
    };
    struct Saved {
        uint32_t source;
        uint32_t begin;
        Head head;
        StreamReader::Position position;
    };

    void fetch_ahead(uint32_t source) const;
    bool is_full(uint32_t source) const;
    bool decode_source(uint32_t source, int64_t limit);
    void decode_plain(uint32_t source, int64_t limit);
    void make_room();
    uint32_t place(uint32_t at, const uint8_t* bytes, size_t index);
    void append(uint32_t source);
    void append_special(uint32_t source, Special what);
    void advance(uint32_t source);
    int64_t next_clock(uint32_t source);

    std::vector<StreamReader> readers_;
    std::vector<Head> heads_;
    std::vector<std::exception_ptr> damage_;  // of heads that are damaged
    std::vector<Saved> saved_;                // heads that moved in this window, as they were before
    std::vector<Special> specials_;
    HugeArray<Entry> entries_;
    HugeArray<Copy> copies_;  // by the index of their entries when they were decoded
    size_t capacity_ = 0, wanted_ = 0, count_ = 0;
    uint64_t bytes_left_ = 0;  // that the window may still hold
    int64_t start_ = 0;
};

}  // namespace ovni
