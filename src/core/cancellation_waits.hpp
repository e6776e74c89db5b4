// Holds the cancellation of the calling thread back while it lives. A thread that may be cancelled at any
// time ends at either end of this. The type of cancellation is changed, too: glibc 2.36 looks at it alone
// when its signal comes late, and forgets the result, PTHREAD_CANCELED, if pthread_setcancelstate() ends the
// thread.
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
