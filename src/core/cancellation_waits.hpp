// Holds the cancellation of the calling thread back while it lives. A thread that is cancelled meanwhile, and
// may be cancelled at any time, ends at the end of this. glibc 2.36 forgets its result, PTHREAD_CANCELED,
// where pthread_setcancelstate() finds it cancelled, but not where pthread_setcanceltype() does.
#pragma once

#include <pthread.h>

namespace ovni {

class CancellationWaits {
 public:
    CancellationWaits() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_); }
    ~CancellationWaits() {
        int type = PTHREAD_CANCEL_DEFERRED;
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
        pthread_setcancelstate(state_, nullptr);
        if (type != PTHREAD_CANCEL_DEFERRED) pthread_setcanceltype(type, nullptr);
    }
    CancellationWaits(const CancellationWaits&) = delete;
    CancellationWaits& operator=(const CancellationWaits&) = delete;

 private:
    int state_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace ovni
