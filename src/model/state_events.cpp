#include "model/state_events.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace ovni {

namespace {

EventCode code_of(std::string_view text) {
    return text.empty() ? EventCode() : EventCode::from_chars(text.data());
}

void add_channel(std::vector<StateEvent>& events, const ChannelSpec& channel, uint8_t stack) {
    bool is_stack = channel.kind == ChannelKind::stack;
    for (const StateRule& rule : channel.states) {
        if (rule.enter.empty() || is_punctual(channel, rule)) continue;
        StateEvent enter{code_of(rule.enter), code_of(rule.leave),
                         is_stack ? StateKind::push : StateKind::set, stack};
        enter.is_initial = rule.value == channel.initial;
        events.push_back(enter);
        if (!rule.leave.empty())
            events.push_back(
                {code_of(rule.leave), EventCode(), is_stack ? StateKind::pop : StateKind::clear, stack});
    }
}

void add_hooks(std::vector<StateEvent>& events, const ModelSpec& model, unsigned first_stack) {
    for (const EventSpec& event : model.events) {
        const HookState& state = event.state;
        if (state.declared != HookState::Declared::kind) continue;
        unsigned stack = first_stack + state.channel;
        if (state.kind == StateKind::always) stack = 0;
        if (state.channel == all_marks) stack = StateEvent::marks;
        events.push_back({code_of(event.signature), code_of(state.opposite), state.kind,
                          static_cast<uint8_t>(stack), state.key_at, state.key_size, state.kept});
    }
}

// Stacks are numbered from the first channel of the first model on.
std::vector<StateEvent> all_events() {
    std::vector<StateEvent> events;
    unsigned first = 1;
    for (const ModelSpec* model : all_models()) {
        for (size_t c = 0; c < model->channels.size(); ++c)
            add_channel(events, model->channels[c], static_cast<uint8_t>(first + c));
        add_hooks(events, *model, first);
        first += static_cast<unsigned>(model->channels.size());
    }
    std::ranges::sort(events, {}, [](const StateEvent& event) { return event.code.bits(); });
    return events;
}

}  // namespace

std::string_view name_of(StateKind kind) {
    constexpr std::string_view names[] = {"push", "pop",   "set",    "clear", "run",
                                          "end",  "pause", "resume", "always"};
    return names[static_cast<size_t>(kind)];
}

std::span<const StateEvent> state_events() {
    static const std::vector<StateEvent> events = all_events();
    return events;
}

const StateEvent* find_state_event(EventCode code) {
    static const auto by_code = [] {
        std::unordered_map<uint32_t, const StateEvent*> table;
        for (const StateEvent& event : state_events()) table.emplace(event.code.bits(), &event);
        return table;
    }();
    auto found = by_code.find(code.bits());
    return found == by_code.end() ? nullptr : found->second;
}

}  // namespace ovni
