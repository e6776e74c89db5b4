// The events that open and close states of a thread, and those that are definitions, collected from the
// tables of all models. Used by programs that close open states and open them again: the writer
// (print_state_rows.cpp) and ovnicut.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/model_spec.hpp"
#include "ovni/event_code.hpp"

namespace ovni {

// StateRow of runtime/state_rows.hpp is the writer's copy, with fields and kinds of these names.
struct StateEvent {
    static constexpr uint8_t marks = 255;  // the stack of marks of every type, with the type as key

    EventCode code;
    EventCode opposite;  // as in HookState; EventCode() if nothing closes the state
    StateKind kind = StateKind::always;
    uint8_t stack = 0;  // a number for each channel of each model, from 1; 0 of definitions
    uint8_t key_at = 0, key_size = 0, kept = 0;  // as in HookState
    bool is_initial = false;  // of a `set`: threads begin with that value, so there is nothing to open
};

std::string_view name_of(StateKind kind);

// Sorted by code.
std::span<const StateEvent> state_events();
// Null if the event neither opens nor closes a state and is no definition.
const StateEvent* find_state_event(EventCode code);

}  // namespace ovni
