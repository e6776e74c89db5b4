// The first instance of every region: on which row a region is entered first, and when it is left there. Rows
// show the innermost region; a stack of each row shows when an outer one ends.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/ranks.hpp"
#include "emu/records/record.hpp"

namespace ovni {

struct RegionInstance {
    int64_t region = 0;
    int64_t from = 0, to = INT64_MAX;
    uint32_t row = 0, padding = 0;
};

class RegionInstances {
 public:
    // A record of a row of this rank, in the order of time.
    void take(const Record& record);
    // Collective: returns what became known on any rank since the last call, by time: the beginnings of
    // instances, and the end of those that had none.
    std::vector<RegionInstance> share(const Ranks& ranks);
    // Regions that are known on all ranks since the last share().
    size_t count() const { return first_.size(); }

 private:
    void enter(int64_t region, const Record& record);
    void leave(int64_t region, const Record& record);

    std::map<uint32_t, std::vector<int64_t>> open_;  // by row
    std::map<int64_t, RegionInstance> first_;        // by region
    std::map<int64_t, RegionInstance> changed_;
};

}  // namespace ovni
