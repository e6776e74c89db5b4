// Delays cancellation of the calling thread during its lifetime. With asynchronous cancellation, the thread
// may end in the constructor or destructor. The type of cancellation is changed, too: glibc 2.36 checks only
// the type if its signal comes late, and loses the result, PTHREAD_CANCELED, if pthread_setcancelstate() ends
// the thread.
#pragma once

#include <pthread.h>

namespace ovni {

class CancellationWaits {
 public:
    CancellationWaits() noexcept {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_);
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type_);
    }
    ~CancellationWaits() {
        pthread_setcancelstate(state_, nullptr);
        if (type_ != PTHREAD_CANCEL_DEFERRED) pthread_setcanceltype(type_, nullptr);
    }
    CancellationWaits(const CancellationWaits&) = delete;
    CancellationWaits& operator=(const CancellationWaits&) = delete;

 private:
    int state_ = PTHREAD_CANCEL_ENABLE, type_ = PTHREAD_CANCEL_DEFERRED;
};

}  // namespace ovni
