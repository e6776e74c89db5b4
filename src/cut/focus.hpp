// The part of a trace that a program is to look at: some time, a region, some ranks. The options mean the
// same for every program that has them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/cli.hpp"
#include "trace/clock_model.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Numbers from 0 on, kept as ranges.
class RankSet {
 public:
    void add(int first, int last);
    bool empty() const { return ranges_.empty(); }
    bool contains(int rank) const;
    // The least rank of the set that is not among `known`.
    std::optional<int> first_beyond(const std::set<int>& known) const;

 private:
    std::map<int, int> ranges_;  // first to last, apart from each other
};

// ns since the first event of the trace: [from, to). Without a limit: from the first event, to the last.
struct TimeSpan {
    std::optional<int64_t> from, to;

    bool contains(int64_t time) const { return time >= from.value_or(INT64_MIN) && (!to || time < *to); }
};

struct Focus {
    TimeSpan time;
    std::optional<std::string> region;  // its name, or its value
    std::optional<uint64_t> visit;      // of the region, from 1; missing: all of them
    RankSet ranks;                      // empty: all, also processes that have none
    bool without_init = false, without_finalize = false;

    bool is_whole() const { return !time.from && !time.to && !needs_events() && ranks.empty(); }
    // True if the time can only be found by reading events.
    bool needs_events() const { return region || without_init || without_finalize; }
};

// Puts the rows of these options at a position among those of a program.
void insert_focus_rows(Manual& manual, size_t position);
// Reads what was given. Throws UsageError.
Focus read_focus(const Cli& cli);

// True, by stream, if its process has one of the ranks; for all if the focus has none. Throws Error for a
// rank that is not there.
std::vector<bool> streams_of(const Focus& focus, const Trace& trace);
// The time of the focus. `origin`: the corrected clock of time 0. Reads the streams of its ranks if it needs
// their events. Throws Error if there is no such region or visit, or if nothing is left.
TimeSpan time_of(const Focus& focus, const Trace& trace, const ClockModel& clocks, int64_t origin);

// "1.5s", "300ms", "20us", "123456ns"; a 0 needs no unit. Throws UsageError, which names `option`, also for a
// part of a ns.
int64_t parse_duration(const std::string& text, std::string_view option = "");
// "0,4-7"
RankSet parse_ranks(const std::string& text);
// The items between commas, none of them empty. `option`: for the message of the UsageError.
std::vector<std::string> items_of(const std::string& option, std::string_view list);

}  // namespace ovni
