// A companion lives as long as the traced program runs, such as the drainer of its events. Its host is
// ovnirun, the program's parent, or with --detach a process of its own in its own session. This one does
// nothing.
//
// Nothing here may end or hold up the program: no exception, and finish() within a second if possible.
#pragma once

#include <sys/types.h>

namespace ovni::run {

// How the program ended. Only its parent surely learns that: a detached companion does if it looks before the
// parent.
struct Ending {
    enum class By { exit, signal, unknown };
    By by = By::unknown;
    int code = 0;  // exit status, or number of the signal
};

class Companion {
 public:
    virtual ~Companion() = default;

    // Called before any fork. The program gets what it sets in the environment. It must start no threads and
    // open no descriptors: the host closes what it has inherited.
    virtual void prepare() noexcept {}

    // Called in the host. Process `program` exists and waits for this to return before it is executed. All
    // signals are blocked, also in threads started here. Descriptors 0 and 1 are /dev/null. Descriptors
    // opened here never reach the program.
    virtual void start(pid_t /*program*/) noexcept {}

    // Called in the host, which stops like the program. Other processes of the run may go on: they do its
    // work until it resumes. No thread of the companion runs in between.
    virtual void pause() noexcept {}
    virtual void resume() noexcept {}

    // Called in another process if the host has ended, in order or not: it waits for the end of the program
    // and does what finish() would have done.
    virtual void take_over() noexcept {}

    // Called in the host after the program has ended, or could not be executed.
    virtual void finish(const Ending& /*ending*/) noexcept {}
};

}  // namespace ovni::run
