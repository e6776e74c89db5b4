// Waits as records of the type "MPI wait state", in the rows of the threads that wait.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ranks.hpp"
#include "emu/record.hpp"
#include "emu/record_buffer.hpp"
#include "emu/schema.hpp"
#include "emu/system.hpp"
#include "messages/waits.hpp"

namespace ovni {

// The type with the labels of the kinds that some rank has; adds nothing if there are no waits. Collective.
void add_wait_type(const Ranks& ranks, const std::vector<Wait>& waits, FileSchema& threads);

class WaitsInTimeline {
 public:
    // `waits`: by begin. Where two of a thread overlap the earlier one is shown.
    WaitsInTimeline(const System& system, const std::vector<Wait>& waits, int64_t origin);

    // Puts those before that time among `records`, but for those after the end of the trace.
    void merge_before(int64_t time, RecordBuffer& records, Moment end);

 private:
    std::vector<Record> records_;
    size_t next_ = 0;
};

}  // namespace ovni
