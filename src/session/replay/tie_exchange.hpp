// Exact order on many ranks: rank 0 replays the reference's heap over the clocks of all streams and tells
// every rank the places of its events among those of their clock (trace/tie_order.hpp).
//
// Works in rounds, each a stretch of time: all ranks scan their streams up to its end and send the clocks.
// How long it is follows the density of events in the whole trace, so the memory of all ranks is bounded,
// except that all events of one clock must fit. Damage ends a stream here, without a word: who emulates the
// stream tells.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ranks.hpp"
#include "trace/event_window.hpp"
#include "trace/tie_order.hpp"

namespace ovni {

class TieExchange {
 public:
    // The ties in events up to and with the clock `until`, INT64_MAX after the last event.
    struct Round {
        int64_t until = 0;
        Ties ties;
    };
    // `readers`: of the streams of this rank, none advanced yet. `streams`: in the whole trace. Collective.
    TieExchange(const Ranks& ranks, std::vector<StreamReader> readers, size_t streams);

    // The next round, with the ties of this rank's streams. Collective.
    Round next();

 private:
    // Decodes the round from `start` on all ranks and returns its width, which becomes smaller until it fits.
    uint32_t scan(int64_t start);
    // Collects the clocks of all streams on rank 0. Collective.
    ClockRuns gather();
    // Sends every rank the ties that rank 0 finds for it. Returns those of this rank. Collective.
    std::vector<uint32_t> distribute(const ClockRuns& all);

    const Ranks& ranks_;
    EventWindow window_;
    std::vector<uint32_t> streams_;     // on rank 0: the streams of rank 0, of rank 1, ...
    std::vector<int> owners_;           // on rank 0: rank by stream
    std::optional<HeapReplay> replay_;  // on rank 0
    uint64_t wanted_;                   // events in a round
    uint32_t width_;
};

}  // namespace ovni
