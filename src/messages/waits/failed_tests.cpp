#include "messages/waits/failed_tests.hpp"

#include <algorithm>

namespace ovni {

Wait failed_tests(const Arrival& message, const CallTimes& calls) {
    Wait wait;
    wait.cause_time = message.send_posted;
    wait.stream = message.receive_completed_in;
    wait.cause_stream = message.send_stream;
    wait.function = message.receive_completed_by;
    wait.kind = WaitKind::failed_tests;
    const size_t last =
        calls.first_not([&](size_t before) { return calls.enter(before) < message.receive_wait_begin; });
    if (last == calls.size() || calls.enter(last) != message.receive_wait_begin) return wait;
    const uint32_t request = calls.request(last);
    int64_t waited = 0;
    for (size_t call = last; calls.enter(call) > message.receive_posted; --call) {
        const bool is_same = calls.function(call) == calls.function(last) && calls.request(call) == request;
        // Only MPI_Test records its request.
        if (!is_same && request == 0) break;
        if (is_same && calls.enter(call) < message.send_posted) {
            const int64_t end = std::min(calls.leave(call), message.send_posted);
            if (waited == 0) wait.end = end;
            waited += end - calls.enter(call);
            wait.begin = calls.enter(call);
        }
        if (call == 0) break;
    }
    wait.between = wait.end - wait.begin - waited;
    return wait;
}

}  // namespace ovni
