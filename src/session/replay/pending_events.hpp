// Events on their way to the tally of a report, until they are final: an error on another rank may come
// before what was emulated here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ranks.hpp"
#include "emu/records/record.hpp"
#include "session/report/event_tally.hpp"

namespace ovni {

class PendingEvents {
 public:
    // If `ranks` is a single rank, nothing has to wait.
    PendingEvents(const Ranks& ranks, EventTally& tally) : is_alone_(ranks.is_alone()), tally_(tally) {}

    // Takes an event that was applied, at that time of the trace. Call in the order of events.
    void take(const EventView& event, int64_t time) {
        tally_.define(event);
        if (is_alone_) return tally_.count({event, time});
        append(TalliedEvent(event, time), event.order);
    }
    // Events before that time are final.
    void settle(int64_t before);
    // The waiting events are final up to `end`; later ones do not count. The trace lasts until `duration`.
    void finish(Moment end, int64_t duration);
    // True if there are so many that this rank has to wait for the others: memory does not grow with the
    // trace.
    bool is_full() const { return events_.size() >= most; }

 private:
    static constexpr size_t most = size_t{128} << 10;
    static constexpr size_t longest_payload = 16;
    struct Pending {
        int64_t time;
        std::array<uint8_t, longest_payload> payload;
        uint32_t stream, order;
        EventCode code;
        EventView::Kind kind;
        bool is_pause;
        uint8_t size;  // of the payload
    };

    void append(const TalliedEvent& event, uint32_t order);
    void count(const Pending& event);

    bool is_alone_;
    EventTally& tally_;
    std::vector<Pending> events_;
};

}  // namespace ovni
