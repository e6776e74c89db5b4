// Wakes this process, which is about to stop beside a program that is stopped: whoever continues the program
// alone, or kills it, knows nothing of its parent. A process in a session of its own, so that no signal to
// the group stops it; it looks at the program's threads in /proc until the alarm goes away.
#pragma once

#include <sys/types.h>

namespace ovni::run {

class Alarm {
 public:
    // No other thread runs. Without a process for it, or /proc, there is none.
    explicit Alarm(pid_t program);
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm();

    // Who sends its SIGCONT.
    pid_t sender() const { return process_; }

 private:
    pid_t process_ = 0;
};

}  // namespace ovni::run
