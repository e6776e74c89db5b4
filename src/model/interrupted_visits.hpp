// Visits of regions of MPI_Pcontrol that end in a stream while the program is still in them. The stream
// closes the open regions at the begin of a pause of recording, and opens those that still are open at its
// end. If a region is closed below others, the stream also closes those above it and opens them again, all at
// one clock. A visit that goes on and ends at one clock has ended in the pause: if its region is opened there
// once more, a new visit begins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/event_view.hpp"

namespace ovni {

class InterruptedVisits {
 public:
    // The stream ends a visit.
    void leave(int64_t region, int64_t clock) {
        reach(clock);
        if (std::ranges::find(resumed_, region) == resumed_.end()) left_.push_back(region);
    }
    // The stream begins a visit: true if it goes on with one.
    bool goes_on(int64_t region, int64_t clock) {
        reach(clock);
        const auto known = std::ranges::find(left_, region);
        if (known == left_.end()) return false;
        left_.erase(known);
        resumed_.push_back(region);
        return true;
    }
    // Takes an item of the stream that is not an event, such as an end of a gap. `is_pause`: recording was
    // off in the gap.
    void take_gap(EventView::Kind kind, bool is_pause, int64_t clock) {
        if (kind != EventView::Kind::gap_end) reach(clock);
        if (!is_pause) left_.clear();
        resumed_.clear();
        at_ = clock;
    }

 private:
    void reach(int64_t clock) {
        if (std::exchange(at_, clock) == clock) return;
        left_.clear();
        resumed_.clear();
    }

    int64_t at_ = INT64_MIN;
    std::vector<int64_t> left_, resumed_;  // at that clock
};

}  // namespace ovni
