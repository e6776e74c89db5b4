#include "cut/thread_shadow.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "ovni/mpi_events.h"

namespace ovni {

namespace {

// States of the writer: no channel of a table has them.
constexpr StateEvent of_flush{"OF[", "OF]", StateKind::push, 254};
constexpr StateEvent end_of_flush{"OF]", {}, StateKind::pop, 254};
constexpr StateEvent of_region{"OU[", "OU]", StateKind::push, 253};
constexpr StateEvent end_of_region{"OU]", {}, StateKind::pop, 253};

const StateEvent* row_of(EventCode code) {
    for (const StateEvent* own : {&of_flush, &end_of_flush, &of_region, &end_of_region})
        if (own->code == code) return own;
    return find_state_event(code);
}

// The event of that kind for the same bodies.
EventCode step_of(const StateEvent& run, StateKind kind) {
    for (const StateEvent& event : state_events())
        if (event.kind == kind && event.stack == run.stack) return event.code;
    return {};
}

std::string_view bytes_of(const EventView& event) {
    return {reinterpret_cast<const char*>(event.bytes), OVNI_FORMAT_EVENT_HEADER + event.payload().size()};
}

std::span<const uint8_t> as_bytes(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

uint64_t number_at(std::span<const uint8_t> payload, size_t at, size_t size) {
    uint64_t number = 0;
    if (at + size <= payload.size()) std::memcpy(&number, payload.data() + at, size);
    return number;
}

int cpu_at(const EventView& event) {
    return static_cast<int>(static_cast<uint32_t>(number_at(event.payload(), 0, sizeof(uint32_t))));
}

bool is_creation(const StateEvent& row, const EventView& event) {
    return row.kind == StateKind::always && !event.jumbo();
}

// Calls `see(view, bytes)` for every event of several.
template <class See>
void for_each_event(std::string_view events, See see) {
    while (!events.empty()) {
        EventView event;
        event.bytes = as_bytes(events).data();
        event.code = EventCode::from_bytes(event.bytes + OVNI_FORMAT_CODE_AT);
        std::string_view bytes = events.substr(0, bytes_of(event).size());
        see(event, bytes);
        events.remove_prefix(bytes.size());
    }
}

void append_at(std::string& out, std::string_view event, int64_t clock) {
    size_t at = out.size();
    out += event;
    std::memcpy(out.data() + at + OVNI_FORMAT_CLOCK_AT, &clock, sizeof clock);
}

// Messages that were not recorded before the part have no meaning in it.
bool belongs_to_its_place(EventCode code) {
    return code == EventCode(OVNI_MPI_UNRECORDED) || code == EventCode(OVNI_MPI_UNDER_WAY) ||
           code == EventCode(OVNI_MPI_UNRECORDED_END);
}

void append_move(std::string& out, int64_t clock, int cpu) {
    append_event(out, "OAs", clock, as_bytes({reinterpret_cast<const char*>(&cpu), sizeof cpu}));
}

}  // namespace

void append_event(std::string& out, EventCode code, int64_t raw_clock, std::span<const uint8_t> payload) {
    out += static_cast<char>(ovni_format_flags(static_cast<unsigned>(payload.size())));
    out.append(code.text().data(), 3);
    out.append(reinterpret_cast<const char*>(&raw_clock), sizeof raw_clock);
    out.append(reinterpret_cast<const char*>(payload.data()), payload.size());
}

std::optional<TaskName> task_of(const EventView& event) {
    const StateEvent* row = find_state_event(event.code);
    if (!row || event.payload().size() < sizeof(uint32_t)) return std::nullopt;
    char model = event.code.model(), category = event.code.category();
    bool is_body = row->kind == StateKind::run || row->kind == StateKind::end ||
                   row->kind == StateKind::pause || row->kind == StateKind::resume ||
                   (row->key_size > 0 && model == 'P' && category == 'P');
    if (!is_body && !is_creation(*row, event)) return std::nullopt;
    return TaskName{model, category, static_cast<uint32_t>(number_at(event.payload(), 0, sizeof(uint32_t)))};
}

void ThreadShadow::follow(const EventView& event, const std::set<int>& punctual_marks,
                          Definitions definitions) {
    switch (event.kind) {
        case EventView::Kind::event:
            return follow_event(event, punctual_marks, definitions);
        case EventView::Kind::gap_begin:
            clear();
            had_gap_ = true;
            gap_reason_ = event.gap->reason;
            gap_ = *event.gap;
            return;
        case EventView::Kind::gap_end:
            gap_.reset();
            return;
        case EventView::Kind::cut:
            clear();
            state_ = RunState::dead;
            return;
    }
}

void ThreadShadow::clear() {
    states_.clear();
    counters_.clear();
    sites_.clear();
    is_out_of_cpu_ = false;
}

void ThreadShadow::follow_event(const EventView& event, const std::set<int>& punctual_marks,
                                Definitions definitions) {
    if (event.code.model() == 'O' && follow_life(event)) return;
    if (event.code == EventCode("VWC")) {
        counters_ = bytes_of(event);
        return;
    }
    if (event.code == EventCode(OVNI_MPI_SITE)) return follow_site(event);
    if (belongs_to_its_place(event.code)) return;
    const StateEvent* row = row_of(event.code);
    if (!row) return;
    if (row->kind == StateKind::always) {
        if (definitions == Definitions::kept)
            (is_creation(*row, event) ? tasks_ : definitions_) += bytes_of(event);
        return;
    }
    auto key = static_cast<int>(static_cast<uint32_t>(number_at(event.payload(), row->key_at, sizeof(int))));
    if (row->stack == StateEvent::marks && punctual_marks.contains(key)) return;
    follow_state(*row, event);
}

// The last site of each function counts. The function of a site does not matter here.
void ThreadShadow::follow_site(const EventView& event) {
    auto site = static_cast<uint32_t>(number_at(event.payload(), 0, sizeof(uint32_t)));
    if (site == OVNI_MPI_NO_SITE) return sites_.clear();
    std::erase(sites_, site);
    sites_.push_back(site);
}

bool ThreadShadow::follow_life(const EventView& event) {
    if (event.code == EventCode("OAs")) cpu_ = cpu_at(event);
    if (event.code.category() != 'H') return event.code.category() == 'A';
    constexpr std::string_view steps = "xeprcw";
    using enum RunState;
    constexpr RunState states[] = {running, dead, paused, running, cooling, warming};
    size_t step = steps.find(event.code.value());
    if (step == steps.npos) return true;
    state_ = states[step];
    if (event.code.value() != 'x') return true;
    cpu_ = cpu_at(event);
    start_ = bytes_of(event).substr(OVNI_FORMAT_EVENT_HEADER);
    return true;
}

// The innermost one.
ThreadShadow::State* ThreadShadow::find(const StateEvent& row, uint64_t key) {
    auto is_it = [&](const State& state) { return state.event->stack == row.stack && state.key == key; };
    auto found = std::find_if(states_.rbegin(), states_.rend(), is_it);
    return found == states_.rend() ? nullptr : &*found;
}

void ThreadShadow::follow_state(const StateEvent& row, const EventView& event) {
    if (event.code.model() == 'K') {
        is_out_of_cpu_ = row.kind == StateKind::push;
        return;
    }
    std::span<const uint8_t> payload = event.payload();
    uint64_t key = number_at(payload, row.key_at, row.key_size);
    std::string_view kept = bytes_of(event).substr(OVNI_FORMAT_EVENT_HEADER);
    State* state = find(row, key);
    auto erase = [&] { states_.erase(states_.begin() + (state - states_.data())); };
    switch (row.kind) {
        case StateKind::set:
            if (state) erase();
            if (row.is_initial) return;
            [[fallthrough]];
        case StateKind::push:
        case StateKind::run:
            states_.push_back({&row, key, std::string(kept.substr(0, row.kept))});
            return;
        case StateKind::resume:
            if (!state)
                states_.push_back({find_state_event(event.code), key, std::string(kept), false, true});
            else
                state->is_paused = false;
            return;
        case StateKind::pause:
            if (state) state->is_paused = true;
            return;
        case StateKind::pop:
        case StateKind::clear:
        case StateKind::end:
            if (state) erase();
            return;
        case StateKind::always:
            return;
    }
}

std::vector<TaskName> ThreadShadow::open_tasks() const {
    std::vector<TaskName> tasks;
    for (const State& state : states_) {
        std::string event;
        append_event(event, state.event->code, 0, as_bytes(state.payload));
        for_each_event(event, [&](const EventView& view, std::string_view) {
            if (auto task = task_of(view)) tasks.push_back(*task);
        });
    }
    return tasks;
}

std::vector<TaskName> ThreadShadow::created_tasks() const {
    std::vector<TaskName> tasks;
    for_each_event(tasks_, [&](const EventView& view, std::string_view) { tasks.push_back(*task_of(view)); });
    return tasks;
}

void ThreadShadow::append_start(std::string& out, int64_t clock, int cpu) const {
    constexpr std::array<uint8_t, OVNI_FORMAT_PAYLOAD_MAX> none{};
    std::string payload = start_;
    if (payload.size() < sizeof cpu) payload.assign(none.begin(), none.end());
    std::memcpy(payload.data(), &cpu, sizeof cpu);
    append_event(out, "OHx", clock, as_bytes(payload));
}

std::optional<Gap> ThreadShadow::open(std::string& out, const Clocks& clocks, const std::set<int>& visited,
                                      const std::function<bool(TaskName)>& is_used) const {
    std::vector<int> cpus(visited.begin(), visited.end());
    if (state_ == RunState::running) cpus.push_back(cpu_);
    if (cpus.empty()) cpus.push_back(virtual_cpu);
    if (state_ != RunState::unknown) append_start(out, clocks.start, cpus.front());
    for (size_t i = 1; i < cpus.size(); ++i) append_move(out, clocks.start, cpus[i]);
    for_each_event(definitions_,
                   [&](const EventView&, std::string_view event) { append_at(out, event, clocks.start); });
    for_each_event(tasks_, [&](const EventView& view, std::string_view event) {
        if (is_used(*task_of(view))) append_at(out, event, clocks.tasks);
    });
    std::optional<Gap> gap;
    if (had_gap_) {
        gap = gap_.value_or(Gap{0, 0, clocks.states, 0, gap_reason_});
        gap->offset = out.size();
        gap->from = clocks.states;
    }
    open_states(out, clocks.states, cpus.back());
    return gap;
}

void ThreadShadow::open_states(std::string& out, int64_t clock, int cpu) const {
    if (!counters_.empty()) append_at(out, counters_, clock);
    for (uint32_t site : sites_)
        append_event(out, OVNI_MPI_SITE, clock,
                     as_bytes({reinterpret_cast<const char*>(&site), sizeof site}));
    for (const State& state : states_) {
        append_event(out, state.event->code, clock, as_bytes(state.payload));
        if (!state.is_paused) continue;
        EventCode pause = state.is_resumed ? step_of(*state.event, StateKind::pause) : state.event->opposite;
        append_event(out, pause, clock, as_bytes(state.payload));
    }
    bool waits = state_ == RunState::cooling || state_ == RunState::paused || state_ == RunState::warming;
    if (waits) append_event(out, "OHc", clock);
    if (waits && cpu_ != cpu) append_move(out, clock, cpu_);
    if (state_ == RunState::paused || state_ == RunState::warming) append_event(out, "OHp", clock);
    if (state_ == RunState::warming) append_event(out, "OHw", clock);
    if (state_ == RunState::dead) append_event(out, "OHe", clock);
    if (is_out_of_cpu_) append_event(out, "KCO", clock);
}

void ThreadShadow::close_state(std::string& out, int64_t clock, const State& state) const {
    bool is_body = state.event->kind == StateKind::run || state.is_resumed;
    if (is_body && state.is_paused)
        append_event(out, step_of(*state.event, StateKind::resume), clock, as_bytes(state.payload));
    EventCode closes = is_body ? step_of(*state.event, StateKind::end) : state.event->opposite;
    if (closes != EventCode()) append_event(out, closes, clock, as_bytes(state.payload));
}

// The thread starts on the virtual CPU, because another thread may be running on its own CPU.
void ThreadShadow::start_to_run(std::string& out, int64_t clock) const {
    if (!lives()) return append_start(out, clock, virtual_cpu);
    if (state_ == RunState::running) return;
    if (state_ == RunState::paused) append_event(out, "OHw", clock);
    if (cpu_ != virtual_cpu) append_move(out, clock, virtual_cpu);
    if (state_ == RunState::cooling) append_event(out, "OHp", clock);
    append_event(out, "OHr", clock);
}

void ThreadShadow::close(std::string& out, int64_t raw_clock) const {
    bool is_open = std::ranges::any_of(
        states_, [](const State& state) { return state.is_resumed || state.event->opposite != EventCode(); });
    if (state_ == RunState::dead && !is_open) return;
    if (is_out_of_cpu_) append_event(out, "KCI", raw_clock);
    start_to_run(out, raw_clock);
    for (auto state = states_.rbegin(); state != states_.rend(); ++state) close_state(out, raw_clock, *state);
    append_event(out, "OHe", raw_clock);
}

}  // namespace ovni
