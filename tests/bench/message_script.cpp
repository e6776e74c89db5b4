#include "tests/bench/message_script.hpp"

#include <algorithm>

namespace ovni::bench {

void MessageScript::write(uint64_t events) {
    file_.event("OHx", tick(), plan_.cpu, int32_t{-1}, uint64_t{0});
    file_.event("MUi", tick());
    file_.event("MUI", tick());
    events -= std::min(events, least_events);
    if (plan_.pending == 0) {
        block(events / events_of_blocking);
    } else {
        // Posting, and the ends of a receive and a send; MPI_Waitall itself.
        constexpr uint64_t of_message = 7, of_round = 2;
        uint64_t left = events;
        while (left > of_round + of_message) {
            const auto messages =
                static_cast<uint32_t>(std::min<uint64_t>(plan_.pending, (left - of_round) / of_message));
            round(messages);
            left -= of_round + of_message * messages;
        }
    }
    file_.event("MUf", tick());
    file_.event("MUF", tick());
    file_.event("OHe", tick());
}

void MessageScript::block(uint64_t messages) {
    const bool sends = plan_.rank % 2 == 0;
    const int32_t peer = sends ? plan_.rank + 1 : plan_.rank - 1;
    if (peer == plan_.ranks) return;
    for (uint64_t i = 0; i < messages; ++i) {
        file_.event(sends ? EventCode("MS[") : EventCode("MR["), tick(), peer, tag, world, no_request);
        file_.event(sends ? EventCode("MS]") : EventCode("MR]"), tick(), bytes, peer, tag);
    }
}

void MessageScript::round(uint32_t messages) {
    const int32_t to = (plan_.rank + 1) % plan_.ranks, from = (plan_.rank + plan_.ranks - 1) % plan_.ranks;
    const uint32_t first = requests_ + 1;
    for (uint32_t i = 0; i < messages; ++i) {
        file_.event("Mr[", tick(), from, tag, world, ++requests_);
        file_.event("Mr]", tick());
    }
    for (uint32_t i = 0; i < messages; ++i) {
        file_.event("Ms[", tick(), to, tag, world, ++requests_);
        file_.event("Ms]", tick(), bytes, to, tag);
    }
    file_.event("MWa", tick(), 2 * messages);
    const int64_t completed = tick();
    for (uint32_t request = first; request <= requests_; ++request) {
        file_.event("MXc", completed, request, uint32_t{0});
        if (request < first + messages) file_.event("MXr", completed, bytes, from, tag);
    }
    file_.event("MWA", completed);
}

}  // namespace ovni::bench
