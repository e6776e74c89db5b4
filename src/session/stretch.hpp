// The results of emulating a stretch of time, in order of (time, order). Exchanged among ranks they become a
// slice of the whole.
#pragma once

#include <vector>

#include "emu/breakdown_values.hpp"
#include "emu/record_buffer.hpp"

namespace ovni {

struct Stretch {
    RecordBuffer records;
    std::vector<BreakdownChange> changes;
};

}  // namespace ovni
