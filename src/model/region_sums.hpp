// Sums of the visits of regions of MPI_Pcontrol, by region: number, time, and time without the regions
// inside. Events come thread by thread or in order of time; the sums are equal.
//
// A region that is opened again inside of itself is one visit, as for --region NAME#2, and the time inside
// counts as exclusive. A pause of recording interrupts visits, and its time does not count. Any other gap
// ends all open visits, and so does the end of the stream. The time in which the thread is paused counts.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/wide_sum.hpp"
#include "model/interrupted_visits.hpp"
#include "ovni/event_code.hpp"

namespace ovni {

struct RegionSums {
    uint64_t visits = 0;
    WideSum inclusive, exclusive;  // ns

    RegionSums& operator+=(const RegionSums& other);
};
using RegionSumsByValue = std::map<int64_t, RegionSums>;

// The least, the mean and the largest time of several processes.
struct Spread {
    uint64_t least = UINT64_MAX, most = 0, processes = 0;
    WideSum sum;

    void add(WideSum ns);
    uint64_t mean() const { return processes == 0 ? 0 : sum.number() / processes; }
};

// A region in all processes that have visited it.
struct RegionInAll {
    RegionSums sums;
    Spread inclusive, exclusive;

    // The sums of one more process.
    void add(const RegionSums& of_process);
};

class ThreadInRegions {
 public:
    // `sums`: of the process; lives as long as this.
    explicit ThreadInRegions(RegionSumsByValue& sums) : sums_(sums) {}

    // The next event of the thread that is not a jumbo event; those that are no borders change nothing.
    void take(EventCode code, std::span<const uint8_t> payload, int64_t clock);
    // See InterruptedVisits.
    void take_gap(EventView::Kind kind, bool is_pause, int64_t clock);
    // The stream ends.
    void close(int64_t clock);

 private:
    struct Open {
        int64_t region = 0, since = 0;
        bool is_inside_of_itself = false;
    };
    void leave(int64_t clock);

    RegionSumsByValue& sums_;
    std::vector<Open> open_;  // the innermost one last
    int64_t since_ = 0;       // from when on it was the innermost one
    InterruptedVisits interrupted_;
};

}  // namespace ovni
