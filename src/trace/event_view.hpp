// A decoded event. It points into memory of its StreamReader, and is valid until the reader goes on. A gap in
// a stream (recording was paused, events were dropped) is handed out as two events, one at each end.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "ovni/event_code.hpp"
#include "ovni/format.h"

namespace ovni {

// A part of a stream without events, from stream.gaps.json. `offset`: bytes from the beginning of the file to
// the event that follows; `from`, `to`: raw clocks; `to` is INT64_MAX if the gap lasts to the end of the
// stream.
struct Gap {
    static constexpr int64_t to_the_end = std::numeric_limits<int64_t>::max();

    uint64_t offset = 0;
    int64_t from = 0, to = 0;
    uint64_t lost = 0;
    std::string reason;

    // Recording was off, by MPI_Pcontrol or --control.
    bool is_pause() const { return reason == "paused" || reason == "region"; }
};

struct EventView {
    enum class Kind : uint8_t { event, gap_begin, gap_end, cut };

    int64_t clock = 0;               // corrected, ns
    const uint8_t* bytes = nullptr;  // of the whole event; nullptr for the other kinds
    const Gap* gap = nullptr;        // of gap_begin and gap_end
    uint64_t offset = 0;             // of the event in its file
    uint32_t stream = 0;             // index in the trace
    Kind kind = Kind::event;
    EventCode code = {};  // of Kind::event
    uint32_t order = 0;   // among the events of one clock: ascending as a Merger hands them out

    bool jumbo() const { return ovni_format_is_jumbo(bytes[0]); }
    int64_t raw_clock() const { return static_cast<int64_t>(ovni_format_clock(bytes)); }
    // The payload: of a jumbo event its size field and its data.
    std::span<const uint8_t> payload() const {
        size_t size = jumbo()
                          ? OVNI_FORMAT_JUMBO_SIZE + ovni_format_load_u32(bytes + OVNI_FORMAT_EVENT_HEADER)
                          : ovni_format_payload(bytes[0]);
        return {bytes + OVNI_FORMAT_EVENT_HEADER, size};
    }
};

}  // namespace ovni
