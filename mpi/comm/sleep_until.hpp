// Waits for MPI without using the CPU: the blocking calls of Open MPI spin, and disturb measurements of
// others.
#pragma once

#include <time.h>

#include <algorithm>

namespace ovni {

// Calls `done` until it is true, after naps of 50 us that grow to 2 ms.
template <class Done>
void sleep_until(Done done) {
    for (long nap_ns = 50'000; !done(); nap_ns = std::min(2 * nap_ns, 2'000'000L)) {
        const timespec nap{0, nap_ns};
        ::nanosleep(&nap, nullptr);
    }
}

}  // namespace ovni
