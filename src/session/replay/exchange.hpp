// Brings the records, messages, calls and changes of breakdowns of a stretch of time from the ranks that made
// them to the ranks that write them: rank r gets the r-th slice of the global order.
#pragma once

#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/plan.hpp"
#include "session/replay/stretch.hpp"

namespace ovni {

class Exchange {
 public:
    // `breakdowns`: whether there are changes of breakdowns.
    Exchange(const Ranks& ranks, Breakdowns breakdowns) : ranks_(ranks), breakdowns_(breakdowns) {}

    // The results of all ranks one after the other are the global order. `mine` is used up, and its memory
    // may be reused in the next window. Collective.
    void to_slices(Stretch& mine, Stretch& result);

 private:
    const Ranks& ranks_;
    Breakdowns breakdowns_;
    std::vector<Record> records_;  // what other ranks sent
    std::vector<BreakdownChange> changes_;
    std::vector<MessageRecord> messages_;
    std::vector<MpiCall> calls_;
};

}  // namespace ovni
