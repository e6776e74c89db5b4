#include "messages/waits/failed_tests.hpp"

#include <algorithm>

namespace ovni {

Wait failed_tests(const Arrival& message, std::span<const ProcessTimes::Call> calls) {
    Wait wait;
    wait.cause_time = message.send_posted;
    wait.stream = message.receive_completed_in;
    wait.cause_stream = message.send_stream;
    wait.function = message.receive_completed_by;
    wait.kind = WaitKind::failed_tests;
    const auto last =
        std::ranges::lower_bound(calls, message.receive_wait_begin, {}, &ProcessTimes::Call::enter);
    if (last == calls.end() || last->enter != message.receive_wait_begin) return wait;
    int64_t waited = 0;
    for (auto call = last; call->enter > message.receive_posted; --call) {
        const bool is_same = call->function == last->function && call->request == last->request;
        // MPI_Test alone tells the request.
        if (!is_same && last->request == 0) break;
        if (is_same && call->enter < message.send_posted) {
            const int64_t end = std::min(call->leave, message.send_posted);
            if (waited == 0) wait.end = end;
            waited += end - call->enter;
            wait.begin = call->enter;
        }
        if (call == calls.begin()) break;
    }
    wait.between = wait.end - wait.begin - waited;
    return wait;
}

}  // namespace ovni
