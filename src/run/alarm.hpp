// Wakes this process, which is about to stop because the program is stopped: others may continue or kill the
// program without knowing its parent. The alarm is a process in its own session, so that no signal to the
// group stops it. It watches the program's threads in /proc until the alarm is destroyed.
#pragma once

#include <sys/types.h>

namespace ovni::run {

class Alarm {
 public:
    // Call while no other thread runs. Does nothing if no process can be made, or without /proc.
    explicit Alarm(pid_t program);
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm();

    // The process that sends SIGCONT.
    pid_t sender() const { return process_; }

 private:
    pid_t process_ = 0;
};

}  // namespace ovni::run
