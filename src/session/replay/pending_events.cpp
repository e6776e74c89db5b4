#include "session/replay/pending_events.hpp"

#include <algorithm>

namespace ovni {

void PendingEvents::append(const TalliedEvent& event, uint32_t order) {
    Pending& pending = events_.emplace_back();
    pending.time = event.time;
    pending.stream = event.stream;
    pending.order = order;
    pending.code = event.code;
    pending.kind = event.kind;
    pending.is_pause = event.is_pause;
    pending.size = static_cast<uint8_t>(event.payload.size());
    std::ranges::copy(event.payload, pending.payload.begin());
}

void PendingEvents::count(const Pending& event) {
    TalliedEvent tallied;
    tallied.time = event.time;
    tallied.stream = event.stream;
    tallied.kind = event.kind;
    tallied.is_pause = event.is_pause;
    tallied.code = event.code;
    tallied.payload = std::span(event.payload).first(event.size);
    tally_.count(tallied);
}

void PendingEvents::settle(int64_t before) {
    auto final = [&](const Pending& event) { return event.time < before; };
    auto rest = std::ranges::partition_point(events_, final);
    std::for_each(events_.begin(), rest, [&](const Pending& event) { count(event); });
    events_.erase(events_.begin(), rest);
}

void PendingEvents::finish(Moment end, int64_t duration) {
    for (const Pending& event : events_)
        if (Moment(event.time, event.order) <= end) count(event);
    events_.clear();
    tally_.finish(duration);
}

}  // namespace ovni
