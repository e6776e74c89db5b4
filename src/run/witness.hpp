// Distinguishes a signal to ovnirun alone, which must be passed on to the program, from a signal to the whole
// process group (Ctrl-C, mpirun at the end of a job), which the program has got already. The witness is a
// process of the group that blocks all signals and reports those it got. It ends with ovnirun. It has another
// name and other arguments than ovnirun, so that pkill ovnirun does not look like a signal to the group.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "base/file.hpp"

namespace ovni::run {

class GroupWitness {
 public:
    // Call with all signals blocked. `words`: argv of this process. If no process can be created, received()
    // is always false.
    explicit GroupWitness(char** words);
    GroupWitness(const GroupWitness&) = delete;
    GroupWitness& operator=(const GroupWitness&) = delete;
    ~GroupWitness();

    // True if the witness got this signal, too. The witness forgets it then.
    bool received(const siginfo_t& signal);
    // Call after this process has waited for `child`. If that was the witness, received() is false from then
    // on.
    void child_ended(pid_t child);
    int descriptor() const { return channel_.get(); }

 private:
    pid_t process_ = 0;
    Fd channel_;
};

}  // namespace ovni::run
