// Brings the records and the changes of breakdowns of a stretch of time from the ranks that made them to the
// ranks that write them: rank r gets the r-th slice of the global order.
#pragma once

#include <vector>

#include "emu/breakdown_values.hpp"
#include "emu/plan.hpp"
#include "emu/record_buffer.hpp"
#include "mpi/comm/comm.hpp"

namespace ovni {

// Both in order of (time, order).
struct Slice {
    RecordBuffer records;
    std::vector<BreakdownChange> changes;
};

class Exchange {
 public:
    // `breakdowns`: are there changes at all?
    Exchange(const Comm& comm, Breakdowns breakdowns) : comm_(comm), breakdowns_(breakdowns) {}

    // The results of all ranks one after the other are the global order. `mine` is not needed any more, its
    // memory may come back in the next window. Collective.
    void to_slices(Slice& mine, Slice& result);

 private:
    const Comm& comm_;
    Breakdowns breakdowns_;
    std::vector<Record> records_;  // what other ranks sent
    std::vector<BreakdownChange> changes_;
};

}  // namespace ovni
