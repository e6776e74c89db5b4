// Borders of the regions of MPI_Pcontrol: marks of one type (ovni/mpi_events.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "ovni/event_code.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

struct MpiRegionBorder {
    int64_t region = 0;  // its value
    bool opens = false;  // or it closes
};

// The border that an event is; missing for any other event. `payload`: of an event that is not jumbo.
inline std::optional<MpiRegionBorder> mpi_region_border(EventCode code, std::span<const uint8_t> payload) {
    const bool opens = code == EventCode("OM["), closes = code == EventCode("OM]");
    MpiRegionBorder border{0, opens};
    int32_t type = 0;
    if ((!opens && !closes) || payload.size() != sizeof border.region + sizeof type) return {};
    std::memcpy(&border.region, payload.data(), sizeof border.region);
    std::memcpy(&type, payload.data() + sizeof border.region, sizeof type);
    return type == OVNI_MPI_REGION_MARK ? std::optional(border) : std::nullopt;
}

}  // namespace ovni
