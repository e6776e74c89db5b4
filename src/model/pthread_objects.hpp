// The objects that threads wait for, as the model `pthread` defines them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ovni/event_code.hpp"

namespace ovni {

struct PthreadObject {
    uint32_t number = 0;  // in its process
    std::string label;    // "table_lock", "mutex 0x7f12c0"
};

// The kind of an object, or of the one that a wait is for, by the code of an event: "mutex", "condition".
std::string_view pthread_kind(EventCode code);

// `data`: that of the jumbo event, without its size. Throws Error if it is too short or has no end.
PthreadObject pthread_object(EventCode code, std::span<const uint8_t> data);

}  // namespace ovni
