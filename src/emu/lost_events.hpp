// Events that are missing in gaps of streams: how many, of how many threads, and why. Each emulator counts
// its own; ranks add them up.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/wide_sum.hpp"
#include "trace/event_view.hpp"

namespace ovni {

struct LostEvents {
    std::set<uint32_t> thread_rows;
    std::map<std::string, WideSum> by_reason;

    void add(uint32_t thread_row, const Gap& gap);
    // "2113 events of 1 thread were lost (limit)"; empty if none was lost.
    std::string sentence() const;
};

}  // namespace ovni
