// Which events open and close states of a thread, and which are never gated: what the gate has to know of the
// event models. The rows are generated from their tables (print_state_rows.cpp), sorted by code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ovni/event_code.hpp"

namespace ovni::writer {

struct StateRow {
    enum class Kind : uint8_t {
        push,
        pop,
        set,  // of a single value; a later one takes its place
        clear,
        run,  // of a task's body, which is in a stack too, but ends only once
        end,
        pause,
        resume,
        always  // recorded whether recording is on or off: a definition
    };

    static constexpr uint8_t marks = 255;  // the stack of all of them, each with its type as key

    uint32_t code;      // EventCode::bits()
    uint32_t opposite;  // of push and set: what closes it, 0: nothing does; of run: the pause
    Kind kind;
    uint8_t stack;   // what it is a state of: a number for each channel of each model
    uint8_t key_at;  // bytes of the payload that say which one, too: of a mark its type, of a body the task
    uint8_t key_size;
    uint8_t kept;  // bytes of the payload that stay when the state is opened again
};

std::span<const StateRow> state_rows() noexcept;
// Null where the event is no state's, and gated.
const StateRow* find_state_row(EventCode code) noexcept;

// Whole categories of the ovni model: life cycle, affinity, flushes, regions of unsorted events.
constexpr bool is_never_gated(EventCode code) {
    char category = code.category();
    return code.model() == 'O' && (category == 'H' || category == 'A' || category == 'F' || category == 'U');
}

// What a window looks at (ovni_private_window): nothing, the events of states, those of states without the
// model mpi, everything; and what is more than to be dropped while recording is off.
extern const uint64_t* const gate_without_looks;
extern const uint64_t* const gate_of_states;
extern const uint64_t* const gate_of_states_without_mpi;
extern const uint64_t* const gate_shut;
extern const uint64_t* const gate_when_off;

}  // namespace ovni::writer
