#include "region/controller.hpp"

#include <algorithm>

#include "ovni/private.h"
#include "region/mpi_names.hpp"
#include "region/writer.hpp"
#include "runtime/diagnostics.hpp"

namespace ovni::region {

constinit Immortal<RegionController> the_controller;

namespace {

template <class Condition>
bool has_alarm(const Plan& plan, Condition condition) {
    return std::ranges::any_of(
        plan.chains, [&](const Chain& chain) { return std::ranges::any_of(chain.alarms, condition); });
}

bool starts(const Alarm& alarm) {
    return alarm.event == Event::start;
}

bool decides(const Alarm& alarm) {
    return alarm.event == Event::start || alarm.event == Event::stop;
}

// Where a chain starts recording, nothing is recorded before.
Recording first_state(const Plan& plan, DefaultStart default_start) {
    return has_alarm(plan, starts) || default_start == DefaultStart::off ? Recording::off : Recording::on;
}

// Functions have numbers only where libovni-mpi is there.
std::vector<uint8_t> awaited_calls(const Plan& plan) {
    std::vector<uint8_t> calls;
    size_t functions = mpi_function_names().size();
    for (const Chain& chain : plan.chains)
        for (const Alarm& alarm : chain.alarms) {
            uint8_t bit = alarm.kind == Kind::mpi         ? OVNI_PRIVATE_AWAITS_CALL
                          : alarm.kind == Kind::slow_call ? OVNI_PRIVATE_AWAITS_SLOW_CALL
                                                          : 0;
            if (bit == 0 || alarm.value >= functions) continue;
            calls.resize(functions);
            calls[alarm.value] |= bit;
        }
    return calls;
}

// One constructor is all that the rest of the library sees of the controller.
[[gnu::constructor]] void introduce() {
    static constexpr ::ovni::Controller table{[]() noexcept { return controller().begin(); },
                                              []() noexcept { controller().thread_begins(); },
                                              []() noexcept { controller().thread_ends(); },
                                              []() noexcept { controller().start_over_in_child(); },
                                              []() noexcept { /* nothing of it outlives us */ },
                                              []() noexcept { return controller().decides(); }};
    gate().set_controller(table);
}

}  // namespace

Running::Running(Plan the_plan, DefaultStart default_start, const Hooks& hooks) noexcept
    : plan(std::move(the_plan)),
      awaited_calls(region::awaited_calls(plan)),
      awaits_pcontrol(has_alarm(plan, [](const Alarm& alarm) { return alarm.kind == Kind::pcontrol; })),
      decides(has_alarm(plan, region::decides)),
      engine(plan, {ThreadTable::most, default_start, hooks}) {
    for (const Chain& chain : plan.chains)
        for (const Alarm& alarm : chain.alarms) alarms.push_back(text_of(chain, alarm));
}

Recording RegionController::begin() noexcept {
    if (state_.load(std::memory_order_acquire) != State::unborn) return first_;
    Lock lock(mutex_);
    if (state_.load(std::memory_order_relaxed) != State::unborn) return first_;
    bool is_present = make();
    state_.store(is_present ? State::present : State::absent, std::memory_order_release);
    return first_;
}

void RegionController::begin_here() noexcept {
    if (state_.load(std::memory_order_acquire) == State::unborn && !is_inside()) writer::begin();
}

Fault RegionController::read(ControlSettings& settings, Plan& plan) noexcept {
    if (Fault fault = ControlSettings::from_environment(settings)) return fault;
    if (settings.chains.empty()) return {};
    if (Fault fault = make_plan(settings.chains, mpi_function_names(), plan)) return fault;
    return find_missing_back_end(plan);
}

// A rank for which chains are not meant has no controller; of a job that switches as one it is a part still.
bool RegionController::make() noexcept {
    ControlSettings settings;
    Plan plan;
    std::optional<uint32_t> rank = rank_in_job();
    if (Fault fault = read(settings, plan)) {
        warn("OVNI_CONTROL: %s; all is recorded", fault->message().c_str());
        settings = {};
        plan = {};
    }
    bool is_present = settings.concern(rank);
    if (is_present || settings.scope == Scope::job) first_ = first_state(plan, settings.default_start);
    delivery_.set_up(settings, rank, first_);
    if (!is_present || plan.chains.empty()) return is_present;
    Hooks hooks{this, [](void* self, const Firing& firing) noexcept {
                    static_cast<RegionController*>(self)->fired(firing);
                }};
    running_.store(new Running(std::move(plan), settings.default_start, hooks), std::memory_order_release);
    return true;
}

void RegionController::fired(const Firing& firing) noexcept {
    std::string_view cause = firing.alarm == no_alarm ? default_start_cause : running()->alarms[firing.alarm];
    delivery_.deliver(firing, cause, writer::own_stream());
}

void RegionController::hit(Kind kind, uint64_t value, int64_t detail) noexcept {
    if (running() != nullptr && attach()) running()->engine.hit(own_thread.thread, kind, value, detail);
}

void RegionController::hit(Kind kind, std::string_view text, int64_t detail) noexcept {
    if (running() != nullptr && attach()) running()->engine.hit(own_thread.thread, kind, text, detail);
}

bool RegionController::fire(Event event, uint32_t thread, bool is_broadcast) noexcept {
    constexpr std::string_view program_cause = "program";
    begin_here();
    if (state_.load(std::memory_order_acquire) != State::present) return false;
    if (running() != nullptr) attach();
    uint32_t own = own_number();
    if (thread == all_threads) thread = own;
    Firing firing{event, thread, is_broadcast, no_alarm};
    if (thread == own) {
        delivery_.deliver(firing, program_cause, writer::own_stream());
        return true;
    }
    ThreadTable::Use other = threads_.find(thread);
    delivery_.deliver(firing, program_cause, other ? other.stream() : nullptr);
    return true;
}

}  // namespace ovni::region
