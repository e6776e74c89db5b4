// Emulates in steps that all ranks take together. After each step the ranks agree on the time up to which all
// of them are done; the records before it are final. The first error in global order (time, then order) ends
// the trace: what other ranks emulated beyond it is dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/ranks.hpp"
#include "emu/emulator.hpp"
#include "session/replay/pending_calls.hpp"
#include "session/replay/pending_events.hpp"
#include "session/replay/pending_messages.hpp"
#include "session/replay/stretch.hpp"
#include "session/replay/waits_in_timeline.hpp"
#include "trace/merger.hpp"

namespace ovni {

// The traffic between processes, besides the events.
struct TrafficOutput {
    PendingMessages messages;
    WaitsInTimeline waits;
};

class Window {
 public:
    // `size`: records that a rank collects before it waits for the others; more if they have equal times.
    // `origin`: the clock of time 0. `tally`: takes the events, or nullptr; `traffic` and `calls`: those of
    // the trace, or nullptr on all ranks.
    Window(const Ranks& ranks, Merger merger, Emulator& emulator, size_t size, int64_t origin,
           EventTally* tally, TrafficOutput* traffic, PendingCalls* calls);

    // Fills `stretch` with what has become final on this rank, in order; it may be empty. Returns false, and
    // fills nothing, after the stretch that ends at the end of all ranks. Collective.
    bool next(Stretch& stretch);

    // After the last window, alike on all ranks: the time of the last event, and the message of the first
    // error.
    int64_t duration() const { return duration_; }
    int64_t origin() const { return origin_; }
    const std::optional<std::string>& error() const { return error_; }
    // Ended by ^C.
    bool was_interrupted() const { return was_interrupted_; }
    // So far, on all ranks: events played, and how much of the streams that is, 0 to 1.
    uint64_t events() const { return events_; }
    double progress() const { return progress_; }
    // The end of the trace: nothing after it counts.
    const Moment& end() const { return end_; }
    // The values of this rank that count as shown in the end.
    std::vector<int64_t> shown_extras() const;
    uint64_t ties() const { return merger_.ties(); }

 private:
    void take_before(int64_t time, Stretch& stretch);
    // The progress of a rank.
    struct Position {
        int64_t done = INT64_MIN;        // its records before this time are final
        int64_t now = 0;                 // time of its last event
        int64_t error_time = INT64_MAX;  // INT64_MAX: no error
        uint32_t error_order = 0;
        int32_t rank = 0;
        int32_t failed = 0;
        int64_t interrupted = 0;                       // by ^C
        uint64_t events = 0, consumed = 0, bytes = 0;  // played, of the streams

        Moment error() const { return {error_time, error_order}; }
    };
    void emulate();
    void play();
    void fetch_ahead() const;
    PerRank<Position> emulate_all();
    void note_progress(const PerRank<Position>& all);
    void end_before(int64_t time);
    void finish(const PerRank<Position>& all, const Position& first_error);
    void fail(const std::string& what, Moment at);

    const Ranks& ranks_;
    Merger merger_;
    Emulator& emulator_;
    size_t size_;
    int64_t origin_;
    std::optional<PendingEvents> tallied_;
    TrafficOutput* traffic_;
    PendingCalls* calls_;
    Position mine_;
    std::string what_;            // of my error
    int64_t limit_ = INT64_MAX;   // time of the first error known so far: nothing after it counts
    int64_t agreed_ = INT64_MIN;  // all ranks are done before this time
    bool at_end_ = false;
    bool was_interrupted_ = false;
    uint64_t events_ = 0;
    double progress_ = 0;
    int64_t duration_ = 0;
    std::optional<std::string> error_;
    Moment end_ = end_of_trace;
};

}  // namespace ovni
