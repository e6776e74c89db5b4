// The processes of a trace in tables that sum up streams: their names, and the time that they are in the
// trace.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "base/wide_sum.hpp"
#include "tools/top/data_table.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct ProfiledProcess {
    int app = 0, rank = 0, pid = 0;  // rank -1: none
    std::string loom;
    auto operator<=>(const ProfiledProcess&) const = default;
};
ProfiledProcess process_of(const Stream& stream);

enum class Applications { one, several };
// 3, "1.3" if there are several applications, "pid 17" without a rank.
Cell rank_cell(const ProfiledProcess& process, Applications applications);
template <class Value>
Cell rank_cell(const ProfiledProcess& process, const std::map<ProfiledProcess, Value>& all) {
    const bool several = all.begin()->first.app != all.rbegin()->first.app;
    return rank_cell(process, several ? Applications::several : Applications::one);
}
// The column of these cells. An empty one stands for all ranks.
DataColumn rank_column(size_t width);

// From the first event to the end, in ns. Clocks are raw: threads of a process have one clock.
class TimeInTrace {
 public:
    // A thread of the process.
    void add(int64_t begin, int64_t end) {
        begin_ = std::min(begin_, begin);
        end_ = std::max(end_, end);
        of_threads_.add_time(begin, end);
    }
    WideSum of_process() const {
        WideSum time;
        if (begin_ < end_) time.add_time(begin_, end_);
        return time;
    }
    WideSum of_threads() const { return of_threads_; }

 private:
    int64_t begin_ = INT64_MAX, end_ = INT64_MIN;
    WideSum of_threads_;
};

}  // namespace ovni
