// The waits of the processes of a trace for locks and other objects of POSIX threads.
#pragma once

#include <map>
#include <string>

#include "model/lock_sums.hpp"
#include "tools/text_output.hpp"
#include "trace/trace.hpp"

namespace ovni {

class LockProfile {
 public:
    // Adds a thread of a process. Clocks are raw: times are taken within a thread.
    void add(const Stream& stream, StreamReader reader);
    // All processes together, then each, with the threads that had the object; objects with most time first.
    void print(TextOutput& out) const;
    static constexpr const char* nothing =
        "no wait in POSIX threads was recorded: no thread had to wait, or recording was off (ovnirun "
        "--pthread)";

 private:
    struct Process {
        int app = 0, rank = 0, pid = 0;  // rank -1: none
        std::string loom;
        auto operator<=>(const Process&) const = default;
    };
    enum class Holders { named, left_out };
    static void print_rows(TextOutput& out, const std::string& name, const LockSumsByName& sums,
                           Holders holders);

    std::map<Process, ProcessLocks> processes_;
};

}  // namespace ovni
