// State that a program inherits from its launcher across exec, but that fork loses or ovnirun changes for
// itself: signal mask, disposition of SIGCHLD, timers (alarm(2) before exec is an old way to limit a
// program), the signal at the death of its parent.
#pragma once

#include <signal.h>
#include <sys/time.h>

#include <array>

namespace ovni::run {

class Inherited {
 public:
    // Saves the state of this process. Afterwards the process has all signals blocked and no timer, and can
    // wait for children.
    Inherited();
    // Restores the state. Call in the process that is about to become the program.
    void restore() const;

 private:
    sigset_t mask_{};
    struct sigaction child_action_ {};
    std::array<itimerval, 3> timers_{};
    int parent_death_signal_ = 0;
};

}  // namespace ovni::run
