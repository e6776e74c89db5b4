#include "emu/state/breakdown_values.hpp"

#include <algorithm>
#include <iterator>

namespace ovni {

std::vector<BreakdownChange> changes_of(std::span<const BreakdownChange> changes, uint16_t breakdown) {
    std::vector<BreakdownChange> chosen;
    std::ranges::copy_if(changes, std::back_inserter(chosen),
                         [&](const BreakdownChange& change) { return change.breakdown == breakdown; });
    return chosen;
}

BreakdownValues::BreakdownValues(const Plan& plan, const Machine& machine)
    : plan_(plan), machine_(machine), states_(machine.cpus.size() * plan.breakdowns.size()) {}

void BreakdownValues::touch(uint32_t cpu, uint8_t breakdown, What what) {
    if (machine_.cpus[cpu].is_virtual) return;
    State& of_cpu = state(cpu, breakdown);
    if (!of_cpu.touched) touched_.push_back({cpu, breakdown});
    of_cpu.touched = true;
    of_cpu.base_touched |= what == What::base;
}

// A change of the detail channel alone is not seen while another channel is chosen, and the other way round:
// the choice is made when the base channel is written (with no idle channel: whenever anything is).
Value BreakdownValues::value_of(State& state, const BreakdownPlan& plan, Value base, Value detail,
                                Value idle) {
    const BreakdownSpec& spec = plan.spec();
    if (plan.idle == BreakdownPlan::no_channel) return detail.is_set ? detail : base;
    if (state.base_touched) state.detail = base == Value(spec.detail_at) && detail.is_set;
    if (idle != Value(plan.model->channels[spec.idle].initial)) return idle;
    if (state.detail) return detail;
    return base.is_set ? base : Value(spec.otherwise);
}

}  // namespace ovni
