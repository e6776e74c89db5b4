// The rules that the table of a model keeps to. Each table asserts well_formed(), so a wrong row does not
// compile; tests/compile_fail has wrong rows.
#pragma once

#include "model/model_spec.hpp"

namespace ovni {

consteval bool well_formed_code(const ModelSpec& model, std::string_view code) {
    return code.size() == 3 && code[0] == model.id;
}

consteval bool is_state_of(const ChannelSpec& channel, int64_t value) {
    for (const StateRule& rule : channel.states)
        if (rule.value == value) return true;
    const FurtherStates& further = channel.further;
    return value >= further.first && value - further.first < static_cast<int64_t>(further.labels.size());
}

// A disabled channel shows a value of its own. A row that shows nothing of a channel has no default.
consteval bool well_formed_tracking(const ChannelSpec& channel) {
    if (channel.tracking == Tracking::none || channel.cpu_tracking == Tracking::any) return false;
    if (channel.cpu_tracking == Tracking::none && channel.cpu_default != 0) return false;
    const DisabledState& disabled = channel.disabled;
    if (disabled.label.empty() != (disabled.value == 0)) return false;
    return disabled.value == 0 ||
           (channel.tracking != Tracking::any && !is_state_of(channel, disabled.value));
}

consteval bool well_formed_channel(const ModelSpec& model, const ChannelSpec& channel) {
    if (!well_formed_tracking(channel)) return false;
    if (channel.kind == ChannelKind::punctual && channel.initial != 0) return false;
    for (const StateRule& rule : channel.states) {
        if (rule.value == 0) return false;
        if (is_punctual(channel, rule) && !rule.leave.empty()) return false;
        if (!rule.enter.empty() && !well_formed_code(model, rule.enter)) return false;
        if (!rule.leave.empty() && (rule.enter.empty() || !well_formed_code(model, rule.leave))) return false;
        bool labelled = false;
        for (const StateRule& other : channel.states)
            if (other.value == rule.value && !other.label.empty()) {
                if (labelled) return false;
                labelled = true;
            }
        if (!labelled) return false;
    }
    for (const ChannelSpec& other : model.channels)
        if (&other != &channel && other.prv_type == channel.prv_type) return false;
    return true;
}

// How often an event code stands in the tables of a model.
consteval int count_code(const ModelSpec& model, std::string_view code) {
    int count = 0;
    for (const ChannelSpec& channel : model.channels)
        for (const StateRule& rule : channel.states) count += (rule.enter == code) + (rule.leave == code);
    for (const EventSpec& event : model.events) count += event.signature.substr(0, 3) == code;
    return count;
}

consteval const EventSpec* find_row(const ModelSpec& model, std::string_view code) {
    for (const EventSpec& event : model.events)
        if (event.signature.substr(0, 3) == code) return &event;
    return nullptr;
}

consteval bool has_kind(const ModelSpec& model, uint8_t channel, StateKind kind) {
    for (const EventSpec& event : model.events)
        if (event.state.declared == HookState::Declared::kind && event.state.kind == kind &&
            event.state.channel == channel)
            return true;
    return false;
}

// A state is closed by an event of its channel with its key; a task's body needs all its steps.
consteval bool well_formed_opposite(const ModelSpec& model, const HookState& state) {
    bool opens = state.kind == StateKind::push || state.kind == StateKind::run;
    if (state.opposite.empty()) return !opens;
    const EventSpec* row = find_row(model, state.opposite);
    if (!row || row->state.declared != HookState::Declared::kind) return false;
    const HookState& other = row->state;
    if (other.channel != state.channel || other.key_at != state.key_at || other.key_size != state.key_size)
        return false;
    switch (state.kind) {
        case StateKind::push:
            return other.kind == StateKind::pop;
        case StateKind::set:
            return other.kind == StateKind::clear;
        case StateKind::run:
            return other.kind == StateKind::pause && has_kind(model, state.channel, StateKind::resume) &&
                   has_kind(model, state.channel, StateKind::end);
        default:
            return false;
    }
}

// An event of its own for a punctual state of a channel.
consteval bool well_formed_punctual(const ModelSpec& model, const EventSpec& event) {
    if (event.channel >= model.channels.size()) return false;
    const ChannelSpec& channel = model.channels[event.channel];
    for (const StateRule& rule : channel.states)
        if (rule.value == event.value && is_punctual(channel, rule)) return true;
    return false;
}

// Every hook declares what it does to states. An ignored event may be a definition, but opens no state, nor
// does one that shows a punctual state.
consteval bool well_formed_state(const ModelSpec& model, const EventSpec& event, const Signature& signature) {
    const HookState& state = event.state;
    if (event.action == Action::punctual)
        return state.declared == HookState::Declared::no && well_formed_punctual(model, event);
    if (state.declared == HookState::Declared::no) return event.action == Action::ignore;
    if (state.declared == HookState::Declared::stateless) return event.action == Action::hook;
    if (state.kind == StateKind::always) return true;
    if (event.action != Action::hook) return false;
    if (state.channel != all_marks && state.channel >= model.channels.size()) return false;
    constexpr size_t largest_key = sizeof(uint64_t);
    size_t bytes = signature.fixed_bytes();
    if (state.key_size > largest_key || size_t{state.key_at} + state.key_size > bytes || state.kept > bytes)
        return false;
    return well_formed_opposite(model, state);
}

consteval bool well_formed(const ModelSpec& model) {
    if (!parse_version(model.version)) return false;
    bool is_newer = false;
    for (const ChannelSpec& channel : model.channels) {
        if (is_newer && channel.since.empty()) return false;
        is_newer = !channel.since.empty();
        if (is_newer && !parse_version(channel.since)) return false;
    }
    for (const ChannelSpec& channel : model.channels) {
        if (!well_formed_channel(model, channel)) return false;
        for (const StateRule& rule : channel.states) {
            if (!rule.enter.empty() && count_code(model, rule.enter) != 1) return false;
            if (!rule.leave.empty() && count_code(model, rule.leave) != 1) return false;
        }
    }
    for (const EventSpec& event : model.events) {
        SignatureResult parsed = parse_signature(event.signature);
        if (parsed.fault || parsed.signature.code.model() != model.id) return false;
        if (check_description(event.description, parsed.signature)) return false;
        if (event.description.find("%@{") != event.description.npos && !event.name_of) return false;
        if (event.action != Action::ignore && event.action != Action::hook &&
            event.action != Action::punctual)
            return false;
        if (count_code(model, event.signature.substr(0, 3)) != 1) return false;
        if (!well_formed_state(model, event, parsed.signature)) return false;
    }
    if (const BreakdownSpec* breakdown = model.breakdown) {
        for (uint8_t channel : {breakdown->base, breakdown->detail, breakdown->idle})
            if (channel != BreakdownSpec::no_channel &&
                (channel >= model.channels.size() ||
                 model.channels[channel].cpu_tracking != Tracking::running))
                return false;
    }
    for (const ViewSpec& view : model.views)
        for (const ChannelSpec& channel : model.channels)
            if (view.row == ViewSpec::Row::cpu && view.prv_type == channel.prv_type &&
                channel.cpu_tracking == Tracking::none)
                return false;
    return model.linter_channel == no_linter || model.linter_channel < model.channels.size();
}

}  // namespace ovni
