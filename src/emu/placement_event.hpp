// An event that says whether and where a thread runs: a step of its life cycle, a move to another CPU, or the
// end of a stream that its program did not end. Emulators whose threads share CPUs know those of each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "ovni/event_code.hpp"
#include "ovni/format.h"
#include "trace/event_view.hpp"

namespace ovni {

// The reasons that model ovni has to place a thread.
constexpr std::array<EventCode, 8> placement_codes = {"OHx", "OHe", "OHp", "OHr", "OHc", "OHw", "OAs", "OAr"};

inline bool is_placement(EventCode code) {
    return code.model() == 'O' && std::ranges::find(placement_codes, code) != placement_codes.end();
}
inline bool is_placement(const EventView& event) {
    if (event.kind != EventView::Kind::event) return event.kind == EventView::Kind::cut;
    return is_placement(event.code);
}

// Plain data: a copy of the event. In canonical order its key is (clock, stream).
struct PlacementEvent {
    int64_t clock = 0;  // corrected, ns
    uint64_t offset = 0;
    uint32_t stream = 0;
    EventView::Kind kind = EventView::Kind::event;
    std::array<uint8_t, OVNI_FORMAT_EVENT_MAX> bytes{};  // of an event

    // The event is no jumbo event.
    explicit PlacementEvent(const EventView& event)
        : clock(event.clock), offset(event.offset), stream(event.stream), kind(event.kind) {
        if (kind == EventView::Kind::event)
            std::copy_n(event.bytes, OVNI_FORMAT_EVENT_HEADER + event.payload().size(), bytes.begin());
    }
    PlacementEvent() = default;

    EventCode code() const { return EventCode::from_bytes(bytes.data() + OVNI_FORMAT_CODE_AT); }
    // Points into this object.
    EventView view() const {
        EventView event;
        event.clock = clock;
        event.kind = kind;
        if (kind == EventView::Kind::event) event.bytes = bytes.data();
        event.offset = offset;
        event.stream = event.order = stream;
        event.code = code();
        return event;
    }
};
static_assert(std::is_trivially_copyable_v<PlacementEvent>);

}  // namespace ovni
