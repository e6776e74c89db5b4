// The open states of a thread, from its events, recorded or not. Each state is kept with the event that
// opened it, in the order of opening. Owning thread only. The object's memory is zero at first, and in a
// fork's child. A handler that interrupts the thread here may open states, if it closes them before it
// returns.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ovni/format.h"
#include "ring/event.hpp"
#include "runtime/state_rows.hpp"

namespace ovni::writer {

class OpenStates {
 public:
    static constexpr uint32_t most = 2047;  // further open states are only counted

    // Call with a row that is not `always`, and with an event buffer for the largest payload.
    void follow(const StateRow& row, const uint8_t* event, uint32_t size) noexcept;
    bool empty() const noexcept { return size_ == 0; }

    // Emits the events that close all states, the last opened first. The body of a task, and what lies below
    // it in its stack, cannot be closed twice: they are left to the gap.
    template <class Emit>
    void close(uint64_t clock, Emit emit) const {
        uint64_t blocked[4] = {};
        for (uint32_t i = size(); i > 0; --i) {
            const State& state = states_[i - 1];
            uint64_t& word = blocked[state.row->stack / 64];
            uint64_t bit = uint64_t{1} << state.row->stack % 64;
            if (state.row->kind == StateRowKind::run) word |= bit;
            if ((word & bit) == 0 && state.row->opposite != 0)
                emit(event_of(state, state.row->opposite, clock));
        }
    }
    // Emits the events that open the states again.
    template <class Emit>
    void open(uint64_t clock, Emit emit) const {
        for (uint32_t i = 0; i < size(); ++i) {
            const State& state = states_[i];
            emit(event_of(state, state.row->code, clock));
            if (state.is_paused) emit(event_of(state, state.row->opposite, clock));
        }
    }

 private:
    struct State {
        const StateRow* row;
        uint64_t key;
        uint8_t payload[OVNI_FORMAT_PAYLOAD_MAX];
        uint8_t kept;  // of the payload
        bool is_paused;
    };

    uint32_t size() const noexcept { return size_ < most ? size_ : most; }
    static uint64_t key_of(const StateRow& row, const uint8_t* payload) noexcept;
    static Event event_of(const State& state, uint32_t code, uint64_t clock) noexcept;
    State* find(const StateRow& row, uint64_t key) noexcept;
    void push(const StateRow& row, uint64_t key, const uint8_t* payload, uint32_t payload_size) noexcept;
    void erase(State* state) noexcept;

    uint32_t size_;  // states; only `most` of them are kept
    State states_[most];
};

}  // namespace ovni::writer
