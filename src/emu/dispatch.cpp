#include "emu/dispatch.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "emu/machine.hpp"

namespace ovni {

namespace {

struct GuardRule {
    uint8_t states;
    bool needs_cpu;
};

// By Guard.
constexpr GuardRule guard_rules[] = {
    {all_states, false},    {all_states, true},    {running_states, false},
    {active_states, false}, {active_states, true},
};

std::vector<Operation> operations_of(const Plan& plan) {
    std::vector<Operation> operations;
    for (const ModelPlan& model : plan.models)
        for (const EventEntry& entry : events_of(*model.spec)) {
            GuardRule guard = guard_rules[static_cast<size_t>(model.spec->guard)];
            Operation operation{.code = entry.signature.code.bits(),
                                .action = entry.event->action,
                                .states = guard.states,
                                .needs_cpu = guard.needs_cpu,
                                .channel = static_cast<uint16_t>(model.first_channel + entry.event->channel),
                                .value = entry.event->value};
            if (operation.action == Action::hook) operation.hook = find_hook(entry.signature.code);
            operations.push_back(operation);
        }
    return operations;
}

}  // namespace

Dispatch::Dispatch(const Plan& plan) {
    std::vector<Operation> operations = operations_of(plan);
    // Odd multipliers from a fixed sequence: the first without a collision is found after some thousand tries
    // at most.
    for (uint32_t seed = 1;; ++seed)
        if (try_multiplier(operations, seed * 0x9e3779b1u | 1u)) return;
}

bool Dispatch::try_multiplier(const std::vector<Operation>& operations, uint32_t multiplier) {
    multiplier_ = multiplier;
    table_.assign(size_t{1} << slot_bits, Operation{});
    return std::ranges::all_of(operations, [&](const Operation& operation) {
        Operation& place = table_[slot(operation.code, multiplier)];
        if (place.code != 0) return false;
        place = operation;
        return true;
    });
}

}  // namespace ovni
