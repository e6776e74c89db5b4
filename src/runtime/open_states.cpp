#include "runtime/open_states.hpp"

#include <algorithm>
#include <cstring>

#include "ovni/emit.hpp"

namespace ovni::writer {

uint64_t OpenStates::key_of(const StateRow& row, const uint8_t* payload) noexcept {
    uint64_t key = 0;
    static_assert(OVNI_FORMAT_PAYLOAD_MAX == 2 * sizeof key);  // and a key is in either half
    memcpy(&key, payload + row.key_at, sizeof key);
    unsigned others = 64 - 8u * row.key_size;
    return others == 64 ? 0 : key << others >> others;
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
OpenStates::State* OpenStates::find(const StateRow& row, uint64_t key) noexcept {
    for (uint32_t i = size(); i > 0; --i)
        // Null: a handler has interrupted its making.
        if (states_[i - 1].row && states_[i - 1].row->stack == row.stack && states_[i - 1].key == key)
            return &states_[i - 1];
    return nullptr;
}

// The place is taken first: a handler uses the next ones.
void OpenStates::push(const StateRow& row, uint64_t key, const uint8_t* payload,
                      uint32_t payload_size) noexcept {
    uint32_t at = size_;
    if (at < most) states_[at].row = nullptr;
    detail::handler_fence();
    size_ = at + 1;
    if (at >= most) return;
    detail::handler_fence();
    State& state = states_[at];
    state.key = key;
    memcpy(state.payload, payload, sizeof state.payload);
    state.kept = static_cast<uint8_t>(std::min<uint32_t>(row.kept, payload_size));
    state.is_paused = false;
    detail::handler_fence();
    state.row = &row;
}

void OpenStates::erase(State* state) noexcept {
    State* end = states_ + size();
    if (state + 1 != end) memmove(state, state + 1, static_cast<size_t>(end - state - 1) * sizeof *state);
    detail::handler_fence();
    --size_;
}

void OpenStates::follow(const StateRow& row, const uint8_t* event, uint32_t size) noexcept {
    const uint8_t* payload = event + OVNI_FORMAT_EVENT_HEADER;
    uint32_t payload_size = size - OVNI_FORMAT_EVENT_HEADER;
    uint64_t key = key_of(row, payload);
    using enum StateRowKind;
    if (row.kind == push || row.kind == run) return this->push(row, key, payload, payload_size);
    // The states that are not kept were opened last.
    bool closes = row.kind == pop || row.kind == clear || row.kind == end;
    if (closes && size_ > most) {
        --size_;
        return;
    }
    State* state = find(row, key);
    if (row.kind == set) {
        if (state) erase(state);
        return this->push(row, key, payload, payload_size);
    }
    if (!state) return;
    if (closes) return erase(state);
    state->is_paused = row.kind == pause;
}

}  // namespace ovni::writer
