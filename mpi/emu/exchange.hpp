// Brings the records of a stretch of time from the ranks that made them to the ranks that write them: rank r
// gets the r-th slice of the global order.
#pragma once

#include <vector>

#include "comm/comm.hpp"
#include "emu/record.hpp"

namespace ovni {

// `mine` is in order; so is the result, and so are the results of all ranks one after the other. Collective.
std::vector<Record> to_slices(const Comm& comm, const std::vector<Record>& mine);

}  // namespace ovni
