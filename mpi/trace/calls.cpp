#include "mpi/trace/calls.hpp"

namespace ovni::mpi {

Call::Call(Function function, const void* frame) noexcept
    : thread_(this_thread()),
      function_(function),
      recorded_(is_selected(function)),
      with_details_(has_details(function)) {
    if (!thread_) [[unlikely]]
        return;
    if (thread_->depth != 0) [[unlikely]]
        leave_abandoned(frame);
    if (thread_->depth++ != 0) return;
    thread_->outermost = frame;
    outermost_ = true;
}

Call::~Call() {
    if (!thread_) return;
    --thread_->depth;
    if (outermost_ && !left_) {
        KeepErrno keep;
        end_leave(begin_leave(*thread_, function_, recorded_), Payload(function_));
    }
}

void Call::leave_abandoned(const void* frame) noexcept {
    if (frame < thread_->outermost) return;
    KeepErrno keep;
    Function left = thread_->program.function;
    if (left != Function::none) end_leave(begin_leave(*thread_, left, true), Payload(left));
    thread_->depth = 0;
}

}  // namespace ovni::mpi
