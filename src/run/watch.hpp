// Waits for the program, and makes ovnirun invisible to its launcher: passes signals on, mirrors stops and
// continuations. All signals are blocked and taken one by one, so nothing here runs in a handler.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "run/companion.hpp"
#include "run/witness.hpp"

namespace ovni::run {

class Watch {
 public:
    Watch(pid_t program, GroupWitness& witness, Companion& companion)
        : program_(program), witness_(witness), companion_(companion) {}
    Ending until_end();

 private:
    enum class Program { runs, newly_stopped, stopped, ended };

    void take_changes();
    void take_status(int status);
    void mirror_stop();
    void stop_until_continued();
    void stop();
    void go_on();
    bool continued_since() const;
    void pass_on(const siginfo_t& signal);

    pid_t program_;
    GroupWitness& witness_;
    Companion& companion_;
    Program state_ = Program::runs;
    int stop_signal_ = 0;
    Ending ending_;
};

// Ends this process as the program ended: dies by its signal, or returns its exit status.
int end_as(const Ending& ending);

}  // namespace ovni::run
