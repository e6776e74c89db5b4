// The waits of the processes of a trace for locks and other objects of POSIX threads.
#pragma once

#include <map>
#include <vector>

#include "model/lock_sums.hpp"
#include "tools/top/data_table.hpp"
#include "tools/top/profiled_process.hpp"
#include "trace/trace.hpp"

namespace ovni {

class LockProfile {
 public:
    // Adds a thread of a process. Clocks are raw: times are taken within a thread.
    void add(const Stream& stream, StreamReader reader);
    // All processes together, then each, with the threads that had the object; objects with most time first.
    // Shares are those of the time of all threads of these processes. A last table has all holders.
    std::vector<DataTable> tables() const;
    static constexpr const char* nothing =
        "no wait in POSIX threads was recorded: no thread had to wait, or recording was off (ovnirun "
        "--pthread); ovnitop --openmp has critical sections";

 private:
    struct Process {
        ProcessLocks locks;
        TimeInTrace time;
    };
    std::map<ProfiledProcess, Process> processes_;
};

}  // namespace ovni
