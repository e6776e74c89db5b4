#include "runtime/open_states.hpp"

#include <algorithm>
#include <cstring>

#include "ovni/emit.hpp"

namespace ovni {

bool OpenStates::has_key(const State& state, const StateRow& row, const uint8_t* payload) noexcept {
    return state.row->stack == row.stack &&
           memcmp(state.payload + row.key_at, payload + row.key_at, row.key_size) == 0;
}

Event OpenStates::event_of(const State& state, uint32_t code, uint64_t clock) noexcept {
    Event event;
    uint32_t flags_and_code = ovni_format_flags(state.kept) | code << 8;
    memcpy(event.bytes, &flags_and_code, sizeof flags_and_code);
    memcpy(event.bytes + OVNI_FORMAT_CLOCK_AT, &clock, sizeof clock);
    memcpy(event.bytes + OVNI_FORMAT_EVENT_HEADER, state.payload, sizeof state.payload);
    event.size = static_cast<uint32_t>(OVNI_FORMAT_EVENT_HEADER + state.kept);
    return event;
}

// The innermost one.
OpenStates::State* OpenStates::find(const StateRow& row, const uint8_t* payload) noexcept {
    for (uint32_t i = size(); i > 0; --i)
        if (has_key(states_[i - 1], row, payload)) return &states_[i - 1];
    return nullptr;
}

// The place is taken first: a handler uses the next ones.
void OpenStates::push(const StateRow& row, const uint8_t* payload, uint32_t payload_size) noexcept {
    uint32_t at = size_;
    size_ = at + 1;
    if (at >= most) return;
    detail::handler_fence();
    State& state = states_[at];
    state.row = &row;
    memcpy(state.payload, payload, sizeof state.payload);
    state.kept = static_cast<uint8_t>(std::min<uint32_t>(row.kept, payload_size));
    state.is_paused = false;
}

void OpenStates::erase(State* state) noexcept {
    State* end = states_ + size();
    if (state + 1 != end) memmove(state, state + 1, static_cast<size_t>(end - state - 1) * sizeof *state);
    detail::handler_fence();
    --size_;
}

void OpenStates::follow(const StateRow& row, const uint8_t* event, uint32_t size) noexcept {
    uint8_t payload[OVNI_FORMAT_PAYLOAD_MAX] = {};
    uint32_t payload_size = std::min<uint32_t>(size - OVNI_FORMAT_EVENT_HEADER, sizeof payload);
    memcpy(payload, event + OVNI_FORMAT_EVENT_HEADER, payload_size);
    using enum StateRow::Kind;
    if (row.kind == push || row.kind == run) return this->push(row, payload, payload_size);
    // Those that are not kept were opened last.
    bool closes = row.kind == pop || row.kind == clear || row.kind == end;
    if (closes && size_ > most) {
        --size_;
        return;
    }
    State* state = find(row, payload);
    if (row.kind == set) {
        if (state) erase(state);
        return this->push(row, payload, payload_size);
    }
    if (!state) return;
    if (closes) return erase(state);
    state->is_paused = row.kind == pause;
}

}  // namespace ovni
