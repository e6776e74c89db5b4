// Waits as records of the type "MPI wait state", in the rows of the threads that wait. The critical path as a
// type of its own, in the rows of the threads on it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"
#include "emu/records/record.hpp"
#include "emu/records/record_buffer.hpp"
#include "emu/records/schema.hpp"
#include "messages/costs/critical_path.hpp"
#include "messages/waits/waits.hpp"

namespace ovni {

// Adds the types that some rank has records of, with the labels of these. Collective.
void add_wait_types(const Ranks& ranks, std::span<const Wait> waits, const CriticalPath& path,
                    FileSchema& threads);

class WaitsInTimeline {
 public:
    // `waits`: of threads of this rank, by begin. If two waits of a thread overlap, the earlier one is shown;
    // but a run of failed tests is shown up to the next wait. `mine`: processes of this rank, true for each.
    WaitsInTimeline(const System& system, std::span<const Wait> waits, const CriticalPath& path,
                    const std::vector<bool>& mine, int64_t origin);

    // Merges its records before `time` into `records`, except for those after `end`, the end of the trace.
    void merge_before(int64_t time, RecordBuffer& records, Moment end);

 private:
    void add(uint32_t row, uint32_t stream, uint16_t type, int64_t value, int64_t begin, int64_t end);

    std::vector<Record> records_;
    size_t next_ = 0;
};

}  // namespace ovni
