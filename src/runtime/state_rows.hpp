// Rows of the events that open and close states of a thread, or are never gated. Generated from the tables of
// the event models (print_state_rows.cpp), sorted by code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ovni/event_code.hpp"

namespace ovni::writer {

enum class StateRowKind : uint8_t {
    push,
    pop,
    set,  // of a single value, which a later `set` replaces
    clear,
    run,  // of a task's body: also in a stack, but ends only once
    end,
    pause,
    resume,
    always  // recorded whether recording is on or off: a definition
};

struct StateRow {
    static constexpr uint8_t marks = 255;  // the stack of all marks; the key is the type

    uint32_t code;      // EventCode::bits()
    uint32_t opposite;  // of push and set: the closing event, 0: none; of run: the pause
    StateRowKind kind;
    uint8_t stack;   // the channel: a number for each channel of each model
    uint8_t key_at;  // bytes of the payload that identify the state: the type of a mark, the task of a body
    uint8_t key_size;
    uint8_t kept;  // bytes of the payload to repeat when the state is opened again
};

std::span<const StateRow> state_rows() noexcept;
// Null if the event is gated and belongs to no state.
const StateRow* find_state_row(EventCode code) noexcept;

// Whole categories of the ovni model: life cycle, affinity, flushes, regions of unsorted events.
constexpr bool is_never_gated(EventCode code) {
    char category = code.category();
    return code.model() == 'O' && (category == 'H' || category == 'A' || category == 'F' || category == 'U');
}

// Sets of events for a window's gate (ovni_private_window): none, events of states, events of states without
// the model mpi, all. The last set: events that are not simply dropped while recording is off.
extern const uint64_t* const gate_without_looks;
extern const uint64_t* const gate_of_states;
extern const uint64_t* const gate_of_states_without_mpi;
extern const uint64_t* const gate_shut;
extern const uint64_t* const gate_when_off;

}  // namespace ovni::writer
