#include "emu/dispatch.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "emu/state/machine.hpp"
#include "model/mpi_event.hpp"

namespace ovni {

namespace {

// Conditions by Guard.
constexpr uint32_t guard_conditions[] = {
    Condition::mask(all_states, 0),
    Condition::mask(all_states, Condition::out_of_cpu),
    Condition::mask(running_states, 0),
    Condition::mask(active_states, 0),
    Condition::mask(active_states, Condition::out_of_cpu),
};

Operation operation_of(const EventEntry& entry, const ModelPlan& model, const Plan& plan,
                       const std::vector<bool>& plain) {
    const EventSpec& event = *entry.event;
    Operation operation;
    operation.code = entry.signature.code.bits();
    operation.conditions = guard_conditions[static_cast<size_t>(model.spec->guard)];
    operation.action = event.action;
    if (event.action == Action::ignore) return operation;
    if (event.action == Action::hook) {
        operation.kind = OperationKind::hook;
        operation.hook = find_hook(entry.signature.code);
        return operation;
    }
    operation.value = event.value;
    operation.channel = static_cast<uint16_t>(model.first_channel + event.channel);
    operation.duplicates = plan.channels[operation.channel].duplicates;
    if (event.action == Action::punctual) {
        operation.kind = OperationKind::punctual;
        return operation;
    }
    bool pushes = event.action == Action::push, pops = event.action == Action::pop;
    operation.levels = static_cast<int8_t>(pushes ? 1 : -1);
    bool step = (pushes || pops) && plain[operation.channel];
    operation.kind = step ? OperationKind::step : OperationKind::change;
    if (model.spec->id == 'M' && plan.site_channel != Plan::no_channel) {
        operation.kind = OperationKind::call;
        operation.function =
            static_cast<uint16_t>(MpiEvent(entry.signature.code, {}).function() - mpi_function_rows);
    }
    return operation;
}

}  // namespace

Dispatch::Dispatch(const Plan& plan, const std::vector<bool>& plain) {
    std::vector<Operation> operations;
    for (const ModelPlan& model : plan.models)
        for (const EventEntry& entry : events_of(*model.spec))
            operations.push_back(operation_of(entry, model, plan, plain));
    // Odd multipliers from a fixed sequence: of all models together the seventh has no collision.
    constexpr uint32_t tries = 10000;
    for (uint32_t seed = 1; seed < tries; ++seed)
        if (try_multiplier(operations, seed * 0x9e3779b1u | 1u)) return;
    throw Error("no perfect hash of the event codes was found: are there two of one code?");
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
