// Base of the companions of a traced program, such as the drainer of its events. A companion lives as long as
// the program. Its host is ovnirun, the program's parent, or with --detach a separate process in its own
// session. This base class does nothing.
//
// Nothing here may end or hold up the program: no exception, and finish() within a second if possible.
#pragma once

#include <sys/types.h>

namespace ovni::run {

// How the program ended. Only its parent always learns that: a detached companion does if it looks before the
// parent.
struct Ending {
    enum class By { exit, signal, unknown };
    By by = By::unknown;
    int code = 0;  // exit status, or number of the signal
};

class Companion {
 public:
    virtual ~Companion() = default;

    // Called before any fork. The program gets the environment set here. Must start no threads and open no
    // descriptors: the host closes all that it has inherited.
    virtual void prepare() noexcept {}

    // Called in the host. Process `program` exists and waits for this to return before it is executed. All
    // signals are blocked, also in threads started here. Descriptors 0 and 1 are /dev/null. Descriptors
    // opened here never reach the program.
    virtual void start(pid_t /*program*/) noexcept {}

    // Called in the host when it stops with the program. Other processes of the run may go on, and do the
    // companion's work until it resumes. No thread of the companion may run in between.
    virtual void pause() noexcept {}
    virtual void resume() noexcept {}

    // Called in another process if the host has ended, normally or not: waits for the end of the program,
    // then does the work of finish().
    virtual void take_over() noexcept {}

    // Called in the host after the program has ended, or could not be executed.
    virtual void finish(const Ending& /*ending*/) noexcept {}
};

}  // namespace ovni::run
