#include "mpi/interpose/calls.hpp"

namespace ovni::mpi {

void Call::leave_plainly() noexcept {
    KeepErrno keep(*thread_);
    SlowSite slow(*thread_, function_, selection_);
    end_leave(begin_leave(*thread_, function_, is_recorded()), Payload(function_));
}

void Call::leave_abandoned(const void* frame) noexcept {
    if (frame < thread_->outermost) return;
    KeepErrno keep(*thread_);
    // A callback may run on a stack of its own, wherever that lies.
    if (!is_on_stack(*thread_, frame) || !is_on_stack(*thread_, thread_->outermost)) return;
    Function left = thread_->program.function;
    if (left != Function::none) end_leave(begin_leave(*thread_, left, true), Payload(left));
    thread_->depth = 0;
}

}  // namespace ovni::mpi
