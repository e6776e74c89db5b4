// The templates that wrappers go through. Only a call that the program itself made is recorded, not what MPI
// calls on its behalf: a Fortran routine may call the C function, and that another one.
#pragma once

#include "functions.hpp"
#include "mpi/trace/job.hpp"
#include "mpi/trace/recorder.hpp"
#include "mpi/trace/regions.hpp"
#include "mpi/trace/selection.hpp"

namespace ovni::mpi {

class Call {
 public:
    // `frame`: of the wrapper, as by __builtin_frame_address(0).
    [[gnu::always_inline]] Call(Function function, const void* frame) noexcept : thread_(this_thread()) {
        if (!thread_) [[unlikely]]
            return;
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
auto call(Function function, Real real) {
    if (!is_selected(function)) return real();
    Call traced(function, __builtin_frame_address(0));
    return real();
}

// Does MPI call this on its own behalf?
inline bool is_nested() noexcept {
    return own_thread && own_thread->depth != 0;
}

template <class Real>
int init(Function function, Real real) {
    if (is_nested()) return real();
    start_recording();
    return call(function, [&] {
        int result = real();
        if (result == MPI_SUCCESS) introduce_process();
        return result;
    });
}

template <class Real>
int finalize(Function function, Real real) {
    if (is_nested()) return real();
    if (Thread* thread = this_thread()) close_all_regions(*thread);
    int result = call(function, real);
    finish_recording();
    return result;
}

}  // namespace ovni::mpi
