#include "mpi/interpose/calls.hpp"

namespace ovni::mpi {

void Call::leave_plainly() noexcept {
    KeepErrno keep(*thread_);
    SlowSite slow(*thread_, function_, selection_);
    end_leave(begin_leave(*thread_, function_, is_recorded()), Payload(function_));
}

void end_abandoned(Thread& thread, const void* frame) noexcept {
    if (frame < thread.outermost) return;
    KeepErrno keep(thread);
    // A callback may run on a stack of its own, wherever that lies.
    if (!is_on_stack(thread, frame) || !is_on_stack(thread, thread.outermost)) return;
    Function left = thread.program.function;
    if (left != Function::none) end_leave(begin_leave(thread, left, true), Payload(left));
    thread.depth = 0;
}

}  // namespace ovni::mpi
