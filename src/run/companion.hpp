// What lives beside the traced program as long as that runs, such as the drainer of its events: in ovnirun,
// its parent, or with --detach in a process of its own, in its own session. This one does nothing.
//
// Nothing here may end or hold up the program: no exception, and finish() within a second where it can.
#pragma once

#include <sys/types.h>

namespace ovni::run {

// How the program ended. Only its parent learns that: unknown to a companion that is detached.
struct Ending {
    enum class By { exit, signal, unknown };
    By by = By::unknown;
    int code = 0;  // exit status, or number of the signal
};

class Companion {
 public:
    virtual ~Companion() = default;

    // Before any fork. What it sets in the environment is the program's. No threads, and no descriptors: the
    // host closes what it has inherited.
    virtual void prepare() noexcept {}

    // In the host. Process `program` exists and waits for this to return before it is executed. All signals
    // are blocked, and stay so in threads started here; descriptors 0 and 1 are /dev/null; descriptors opened
    // here never reach the program.
    virtual void start(pid_t /*program*/) noexcept {}

    // In the host, which stops like the program, although other processes of the run may go on: its work is
    // theirs until it resumes. No thread of the companion runs in between.
    virtual void pause() noexcept {}
    virtual void resume() noexcept {}

    // In the host, after the program has ended, whether it was ever executed or not.
    virtual void finish(const Ending& /*ending*/) noexcept {}
};

}  // namespace ovni::run
