// Distinguishes a signal to ovnirun alone, which must be passed on to the program, from one to the whole
// process group (Ctrl-C, mpirun at the end of a job), which the program has already. The signal itself does
// not show that. The witness is a process of the group that blocks all signals and reports which it got. It
// ends with ovnirun. Its name and words are its own, so that pkill ovnirun does not look like a signal to the
// group.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "base/file.hpp"

namespace ovni::run {

class GroupWitness {
 public:
    // Call with all signals blocked. `words`: those of this process. If no process can be made, nothing is
    // witnessed.
    explicit GroupWitness(char** words);
    GroupWitness(const GroupWitness&) = delete;
    GroupWitness& operator=(const GroupWitness&) = delete;
    ~GroupWitness();

    // True if the witness got this signal, too. The witness forgets it then.
    bool received(const siginfo_t& signal);
    // Called after this process has waited for `child`. If that was the witness, nothing is witnessed any
    // more.
    void child_ended(pid_t child);
    int descriptor() const { return channel_.get(); }

 private:
    pid_t process_ = 0;
    Fd channel_;
};

}  // namespace ovni::run
