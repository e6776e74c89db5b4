// The templates that wrappers go through, one per kind of function in functions.txt. Only a call that the
// program itself made is recorded, not what MPI calls on its behalf.
#pragma once

#include "functions.hpp"
#include "mpi/trace/job.hpp"
#include "mpi/trace/recorder.hpp"
#include "mpi/trace/regions.hpp"

namespace ovni::mpi {

class Call {
 public:
    [[gnu::always_inline]] explicit Call(Function function) noexcept : thread_(this_thread()) {
        if (!thread_) [[unlikely]]
            return;
        const void* frame = __builtin_frame_address(0);
        if (thread_->depth != 0) [[unlikely]]
            leave_abandoned(frame);
        if (thread_->depth++ != 0) return;
        thread_->outermost = frame;
        enter_function(*thread_, function);
    }
    [[gnu::always_inline]] ~Call() {
        if (thread_ && --thread_->depth == 0) leave_function(*thread_);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

 private:
    // An exception or longjmp out of a callback left a call without its end: a nested call lies deeper in the
    // stack.
    void leave_abandoned(const void* frame) noexcept {
        if (frame < thread_->outermost) return;
        leave_function(*thread_);
        thread_->depth = 0;
    }

    Thread* thread_;
};

template <class Real>
int call(Function function, Real real) {
    Call traced(function);
    return real();
}

template <class Real>
int init(Function function, Real real) {
    start_recording();
    Call traced(function);
    int result = real();
    if (result == MPI_SUCCESS) introduce_process();
    return result;
}

template <class Real>
int finalize(Function function, Real real) {
    if (Thread* thread = this_thread()) close_all_regions(*thread);
    int result = call(function, real);
    finish_recording();
    return result;
}

}  // namespace ovni::mpi
