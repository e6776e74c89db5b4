// Brings the records and the changes of breakdowns of a stretch of time from the ranks that made them to the
// ranks that write them: rank r gets the r-th slice of the global order.
#pragma once

#include <vector>

#include "comm/comm.hpp"
#include "emu/breakdown_values.hpp"
#include "emu/record_buffer.hpp"

namespace ovni {

// Both in order of (time, order).
struct Slice {
    RecordBuffer records;
    std::vector<BreakdownChange> changes;
};

// The results of all ranks one after the other are the global order. `breakdowns`: are there any? Collective.
Slice to_slices(const Comm& comm, Slice mine, bool breakdowns);

}  // namespace ovni
