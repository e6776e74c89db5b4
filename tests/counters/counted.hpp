// The deltas that streams hold, by name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/counter_deltas.hpp"
#include "trace/trace.hpp"

namespace ovni::test {

// A border: its clock, the event behind the deltas, and what they count.
struct Border {
    int64_t clock = 0;
    std::string event;
    std::map<std::string, int64_t> deltas;
};

// The borders of a stream that have deltas.
inline std::vector<Border> borders_of(const Trace& trace, uint32_t stream) {
    const std::vector<std::string>& names = trace.streams()[stream].metadata.common->counters;
    std::vector<Border> borders;
    bool is_open = false;
    for (StreamReader reader = trace.reader(stream, 0, ClockOrder::checked); reader.next();) {
        const EventView& event = reader.event();
        if (event.kind != EventView::Kind::event) continue;
        const auto deltas = event.jumbo() ? std::nullopt : counter_deltas(event.code, event.payload());
        if (deltas && !is_open) borders.push_back({event.clock, "", {}});
        for (size_t i = 0; deltas && i < deltas->count; ++i)
            borders.back().deltas[names.at(deltas->first + i)] = static_cast<int64_t>(deltas->values[i]);
        if (!deltas && is_open && event.code.model() != 'C') {
            borders.back().event = event.code.text().data();
        }
        is_open = deltas || (is_open && event.code.model() == 'C');
    }
    return borders;
}

}  // namespace ovni::test
