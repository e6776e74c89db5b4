// The deltas in an event of the model `counters` (ovni/counter_events.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "ovni/counter_events.h"
#include "ovni/event_code.hpp"
#include "ovni/format.h"

namespace ovni {

struct CounterDeltas {
    size_t first = 0;  // place of the first one among the counters of the stream
    size_t count = 0;
    std::array<uint64_t, OVNI_COUNTERS_IN_NARROW> values{};
};

// The deltas of an event; missing for any other event, and if the payload is not a whole number of deltas.
inline std::optional<CounterDeltas> counter_deltas(EventCode code, std::span<const uint8_t> payload) {
    if (code.model() != 'C' || (code.category() != '4' && code.category() != '8')) return std::nullopt;
    if (code.value() < 'A') return std::nullopt;
    const auto width = static_cast<size_t>(code.category() - '0');
    if (payload.empty() || payload.size() > OVNI_FORMAT_PAYLOAD_MAX || payload.size() % width != 0)
        return std::nullopt;
    CounterDeltas deltas;
    deltas.first = static_cast<size_t>(code.value() - 'A') * (OVNI_FORMAT_PAYLOAD_MAX / width);
    deltas.count = payload.size() / width;
    for (size_t i = 0; i < deltas.count; ++i)
        std::memcpy(&deltas.values[i], payload.data() + i * width, width);
    return deltas;
}

}  // namespace ovni
