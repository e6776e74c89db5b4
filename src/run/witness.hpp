// Tells a signal sent to ovnirun alone, which has to be passed on to the program, from one sent to the whole
// process group (Ctrl-C, mpirun at the end of a job), which the program has already got: nothing in the
// signal itself does. The witness is a process of the same group that does nothing but block all signals and
// say which it got. It ends with ovnirun. Its name and words are its own, so that pkill ovnirun is not taken
// for a signal to the group.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "base/file.hpp"

namespace ovni::run {

class GroupWitness {
 public:
    // All signals are blocked. `words` are those of this process. Without a process for it, nothing is
    // witnessed.
    explicit GroupWitness(char** words);
    GroupWitness(const GroupWitness&) = delete;
    GroupWitness& operator=(const GroupWitness&) = delete;
    ~GroupWitness();

    // Whether the witness got it too. Asks, and thereby forgets.
    bool received(const siginfo_t& signal);
    // Its parent has waited for a child; if that was the witness, nothing is witnessed any more.
    void child_ended(pid_t child);
    int descriptor() const { return channel_.get(); }

 private:
    pid_t process_ = 0;
    Fd channel_;
};

}  // namespace ovni::run
