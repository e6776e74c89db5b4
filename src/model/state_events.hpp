// Which events open and close states of a thread, and which are definitions: made of the tables of all
// models, and of what only hooks know. For whoever has to close what is open, and open it again: the writer
// (print_state_rows.cpp) and ovnicut.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ovni/event_code.hpp"

namespace ovni {

struct StateEvent {
    // As in runtime/state_rows.hpp, by the same names.
    enum class Kind : uint8_t { push, pop, set, clear, run, end, pause, resume, always };
    static constexpr uint8_t marks = 255;  // the stack of all of them, each with its type as key

    EventCode code,
        opposite;  // opposite: what closes it; of `run`: the pause; EventCode() where nothing does
    Kind kind = Kind::always;
    uint8_t stack = 0;  // what it is a state of: a number for each channel of each model, from 1
    uint8_t key_at =
        0;  // bytes of the payload that say which one, too: of a mark its type, of a body the task
    uint8_t key_size = 0;
    uint8_t kept = 0;         // bytes of the payload that stay when the state is opened again
    bool is_initial = false;  // of a `set`: threads begin with that value, so there is nothing to open
};

std::string_view name_of(StateEvent::Kind kind);

// Sorted by code.
std::span<const StateEvent> state_events();
// Null where the event is neither a state's nor a definition.
const StateEvent* find_state_event(EventCode code);

}  // namespace ovni
