// The value of every physical CPU in the breakdown outputs (see BreakdownSpec), and how it changes. The rows
// of a breakdown are these values sorted over the whole system: sorted_rows.hpp makes them from the changes
// of all ranks.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "emu/plan/plan.hpp"
#include "emu/records/record.hpp"
#include "emu/state/machine.hpp"

namespace ovni {

// A CPU went from one value to another. Plain data, exchanged among ranks as records are: (time, order) is
// the key, as that of a Record. `first`: it is the first change of its event, which may change two CPUs.
struct BreakdownChange {
    int64_t time = 0;
    int64_t before = 0, after = 0;
    uint32_t order = 0;
    uint16_t breakdown = 0;  // in Plan::breakdowns
    uint16_t first = 0;

    Moment moment() const { return {time, order}; }
};
static_assert(sizeof(BreakdownChange) == 32 && std::is_trivially_copyable_v<BreakdownChange>);

// The changes of one breakdown, in their order.
std::vector<BreakdownChange> changes_of(std::span<const BreakdownChange> changes, uint16_t breakdown);

class BreakdownValues {
 public:
    BreakdownValues(const Plan& plan, const Machine& machine);

    bool touched() const { return !touched_.empty(); }
    // A CPU row got a line, or its present value again, in a channel of a breakdown.
    enum class What : uint8_t { base, other };
    void touch(uint32_t cpu, uint8_t breakdown, What what);
    // Appends the changes that follow from what was touched since the last call, in that order.
    // `shows(cpu, channel)`: what a CPU row shows.
    template <class Shows>
    void collect(int64_t time, uint32_t order, Shows shows);

    // Changes so far; the caller that takes them empties the vector.
    std::vector<BreakdownChange>& changes() { return changes_; }

 private:
    struct State {
        int64_t value = 0;
        bool detail = false;  // chosen when the base channel was last written
        bool base_touched = false, touched = false;
    };
    struct Touched {
        uint32_t cpu;
        uint8_t breakdown;
    };
    State& state(uint32_t cpu, uint8_t breakdown) {
        return states_[cpu * plan_.breakdowns.size() + breakdown];
    }
    template <class Shows>
    int64_t update(State& of_cpu, Touched touched, Shows shows);
    static Value value_of(State& state, const BreakdownPlan& plan, Value base, Value detail, Value idle);

    const Plan& plan_;
    const Machine& machine_;
    std::vector<State> states_;
    std::vector<Touched> touched_;
    std::vector<BreakdownChange> changes_;
};

template <class Shows>
int64_t BreakdownValues::update(State& of_cpu, Touched touched, Shows shows) {
    const BreakdownPlan& plan = plan_.breakdowns[touched.breakdown];
    auto shown = [&](uint16_t channel) {
        return channel == BreakdownPlan::no_channel ? Value() : shows(touched.cpu, channel);
    };
    of_cpu.value = value_of(of_cpu, plan, shown(plan.base), shown(plan.detail), shown(plan.idle)).number;
    of_cpu.touched = of_cpu.base_touched = false;
    return of_cpu.value;
}

template <class Shows>
void BreakdownValues::collect(int64_t time, uint32_t order, Shows shows) {
    uint32_t begun = 0;  // breakdowns with a change already, as bits
    for (Touched touched : touched_) {
        State& of_cpu = state(touched.cpu, touched.breakdown);
        if (!of_cpu.touched) continue;
        const int64_t before = of_cpu.value, value = update(of_cpu, touched, shows);
        if (value == before) continue;
        const uint32_t bit = 1u << touched.breakdown;
        changes_.push_back({time, before, value, order, touched.breakdown,
                            static_cast<uint16_t>((begun & bit) == 0 ? 1 : 0)});
        begun |= bit;
    }
    touched_.clear();
}

}  // namespace ovni
