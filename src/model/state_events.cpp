#include "model/state_events.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "model/channel_numbers.hpp"
#include "model/model_spec.hpp"

namespace ovni {

namespace {

using Kind = StateEvent::Kind;

// States that hooks of the emulator know: which channel of their model they are in, and what of the payload.
struct HookRow {
    EventCode code, opposite;
    Kind kind;
    uint8_t channel;
    uint8_t key_at, key_size, kept;
};

constexpr uint8_t of_marks = 200;  // no channel of a table
using enum StateEvent::Kind;
constexpr HookRow hook_rows[] = {
    {"OM[", "OM]", push, of_marks, 8, 4, 12},
    {"OM]", {}, pop, of_marks, 8, 4, 0},
    {"OM=", {}, set, of_marks, 8, 4, 12},
    {"KCO", "KCI", push, kernel_channel::context_switch, 0, 0, 0},
    {"KCI", {}, pop, kernel_channel::context_switch, 0, 0, 0},
    {"MX[", "MX]", push, 0, 0, 0, 2},
    {"MX]", {}, pop, 0, 0, 0, 0},
    {"MXC", {}, always, 0, 0, 0, 0},
    {"MXO", {}, always, 0, 0, 0, 0},
    {"MXN", {}, always, 0, 0, 0, 0},
    {"VYc", {}, always, 0, 0, 0, 0},
    {"VTc", {}, always, 0, 0, 0, 0},
    {"VTC", {}, always, 0, 0, 0, 0},
    {"VTx", "VTp", run, nosv_channel::subsystem, 0, 8, 8},
    {"VTe", {}, end, nosv_channel::subsystem, 0, 8, 0},
    {"VTp", {}, pause, nosv_channel::subsystem, 0, 8, 0},
    {"VTr", {}, resume, nosv_channel::subsystem, 0, 8, 0},
    {"6Yc", {}, always, 0, 0, 0, 0},
    {"6Tc", {}, always, 0, 0, 0, 0},
    {"6Tx", "6Tp", run, nanos6_channel::subsystem, 0, 4, 4},
    {"6Te", {}, end, nanos6_channel::subsystem, 0, 4, 0},
    {"6Tp", {}, pause, nanos6_channel::subsystem, 0, 4, 0},
    {"6Tr", {}, resume, nanos6_channel::subsystem, 0, 4, 0},
    {"POc", {}, always, 0, 0, 0, 0},
    {"PPc", {}, always, 0, 0, 0, 0},
    {"PPx", "PPe", push, openmp_channel::task_id, 0, 4, 4},
    {"PPe", {}, pop, openmp_channel::task_id, 0, 4, 0},
    {"PQx", "PQe", push, openmp_channel::label, 0, 4, 4},
    {"PQe", {}, pop, openmp_channel::label, 0, 4, 0},
};

EventCode code_of(std::string_view text) {
    return text.empty() ? EventCode() : EventCode::from_chars(text.data());
}

void add_channel(std::vector<StateEvent>& events, const ChannelSpec& channel, uint8_t stack) {
    bool is_stack = channel.kind == ChannelKind::stack;
    for (const StateRule& rule : channel.states) {
        if (rule.enter.empty()) continue;
        StateEvent enter{code_of(rule.enter), code_of(rule.leave), is_stack ? push : set, stack};
        enter.is_initial = rule.value == channel.initial;
        events.push_back(enter);
        if (!rule.leave.empty())
            events.push_back({code_of(rule.leave), EventCode(), is_stack ? pop : clear, stack});
    }
}

// Stacks are numbered from the first channel of the first model on.
std::vector<StateEvent> all_events() {
    std::vector<StateEvent> events;
    unsigned first = 1;
    for (const ModelSpec* model : all_models()) {
        for (size_t c = 0; c < model->channels.size(); ++c)
            add_channel(events, model->channels[c], static_cast<uint8_t>(first + c));
        for (const HookRow& hook : hook_rows) {
            if (hook.code.model() != model->id) continue;
            unsigned stack = hook.kind == always        ? 0
                             : hook.channel == of_marks ? StateEvent::marks
                                                        : first + hook.channel;
            events.push_back({hook.code, hook.opposite, hook.kind, static_cast<uint8_t>(stack), hook.key_at,
                              hook.key_size, hook.kept});
        }
        first += static_cast<unsigned>(model->channels.size());
    }
    std::ranges::sort(events, {}, [](const StateEvent& event) { return event.code.bits(); });
    return events;
}

}  // namespace

std::string_view name_of(StateEvent::Kind kind) {
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
