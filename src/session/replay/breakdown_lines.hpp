// Changes of breakdowns as lines of their outputs, slice by slice: each slice begins with the rows that all
// slices before it have led to.
#pragma once

#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/plan.hpp"
#include "emu/plan/system.hpp"
#include "emu/state/sorted_rows.hpp"
#include "session/replay/stretch.hpp"

namespace ovni {

class BreakdownLines {
 public:
    BreakdownLines(const Ranks& ranks, const Plan& plan, const System& system);
    // Appends the lines of this rank's slice to lines[b] for breakdown b. Collective.
    void append(const Stretch& slice, std::vector<std::vector<Record>>& lines);

 private:
    const Ranks& ranks_;
    std::vector<SortedRows> rows_;  // before the slices to come
};

}  // namespace ovni
