// The order of events with equal clocks, as the reference plays them. It depends on all events of the trace,
// so the clocks of all streams go through one replay of the reference's heap, window by window. A window is a
// stretch of time; times in it count from its start and are at most `last_time`.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trace/reference_heap.hpp"

namespace ovni {

// The clocks of a window, source by source.
struct ClockRuns {
    static constexpr int64_t no_clock = INT64_MIN;

    std::vector<uint32_t> counts;  // by source: events in the window
    std::vector<uint32_t> times;   // of all those events, since the start of the window
    std::vector<int64_t> next;  // by source: clock of the event after the window; no_clock if there is none
};

// The places of events that share their clock, among all events of that clock, in canonical order of (clock,
// source, position).
class Ties {
 public:
    // `start`: of the window; times count from it.
    explicit Ties(int64_t start = 0) : start_(start) {}
    void add(uint32_t time, uint32_t place);
    // The places of the events at `clock`; empty if no two share it. Clocks must not decrease from call to
    // call.
    std::span<const uint32_t> at(int64_t clock);

 private:
    int64_t start_;
    std::vector<uint32_t> words_;  // time, number of places, places; and so on
    size_t at_ = 0, last_ = 0;
};

class HeapReplay {
 public:
    static constexpr uint32_t last_time = UINT32_C(1) << 31;

    explicit HeapReplay(size_t sources) : heap_(sources), sources_(static_cast<uint32_t>(sources)) {}

    // Times for the next event of each source after the window: greater than last_time, and ordered as the
    // clocks, equal ones included.
    static std::vector<uint32_t> times_after(std::span<const int64_t> next_clocks);

    // Replays one window. `first(source)`: time of the source's next event in the window, else its time after
    // the window. `play(source)`: called in the order of events; returns the next result of `first`.
    template <class First, class Play>
    void replay(First first, Play play) {
        begin(first);
        while (heap_.first_time() <= last_time) {
            uint32_t source = heap_.extract();
            uint32_t next = play(source);
            if (next != ReferenceHeap::no_time) heap_.insert(next, source);
        }
    }

    // Adds the places of the events that share their clock.
    void find_ties(const ClockRuns& runs, Ties& ties);

 private:
    template <class First>
    void begin(First first) {
        if (started_) return heap_.set_times(first);
        started_ = true;
        for (uint32_t source = 0; source < sources_; ++source)
            if (uint32_t time = first(source); time != ReferenceHeap::no_time) heap_.insert(time, source);
    }
    void end_group(uint32_t time, Ties& ties);

    ReferenceHeap heap_;
    uint32_t sources_;
    bool started_ = false;
    std::vector<uint32_t> group_;  // sources of one time, as played
    std::vector<uint64_t> sorted_;
};

}  // namespace ovni
