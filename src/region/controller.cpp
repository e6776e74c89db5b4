#include "region/controller.hpp"

#include <unistd.h>

#include <cinttypes>
#include <cstdlib>
#include <limits>
#include <utility>

#include "region/mpi_names.hpp"
#include "region/own_process.hpp"
#include "region/recorder.hpp"
#include "ring/diagnostics.hpp"
#include "ring/session.hpp"

namespace ovni::region {

constinit writer::Immortal<RegionController> the_controller;

namespace {

// The rest of the library sees no more of the controller than this constructor.
[[gnu::constructor]] void introduce() {
    static constexpr writer::Controller table{
        []() noexcept { return controller().begin(); },
        []() noexcept { controller().thread_begins(); },
        []() noexcept { controller().thread_ends(); },
        []() noexcept { controller().start_over_in_child(); },
        [](void (*release)() noexcept) noexcept { controller().fork_ends(release); },
        []() noexcept { controller().end(); },
        []() noexcept { return controller().decides(); }};
    controller().be_born(writer::monotonic_clock());
    writer::gate().set_controller(table);
}

}  // namespace

writer::Recording RegionController::begin() noexcept {
    if (state_.load(std::memory_order_acquire) != State::unborn) return first_;
    writer::Lock lock(mutex_);
    if (state_.load(std::memory_order_relaxed) != State::unborn) return first_;
    bool is_present = make();
    state_.store(is_present ? State::present : State::absent, std::memory_order_release);
    return first_;
}

// Warns if nothing was ever recorded: a misspelt text cannot be found earlier. In a job of MPI its ranks have
// done so together.
void RegionController::end() noexcept {
    service_.stop();
    if (is_child_ || is_reported_by_job_ || start() != Start::missing || writer::launcher_rank() != "0")
        return;
    // One line for all commands of a shell.
    if (::getenv("OVNI_SESSION") != nullptr && !is_started_by_ovnirun()) return;
    writer::warn(
        "--control: nothing is recorded of process %d, as no chain came to a start; the first begins with %s",
        getpid(), running()->facts(0).text.c_str());
}

RegionController::Start RegionController::start() const noexcept {
    if (running() == nullptr || first_ == writer::Recording::on) return Start::not_needed;
    return delivery_.has_start() ? Start::seen : Start::missing;
}

void RegionController::warn_about_starts(uint64_t seen, uint64_t missing) noexcept {
    if (missing == 0) return;
    const std::string first =
        running() == nullptr ? "" : "; the first begins with " + running()->facts(0).text;
    if (seen == 0)
        writer::warn("--control: nothing is recorded, as no chain came to a start in any rank%s",
                     first.c_str());
    else
        writer::warn("--control: %" PRIu64 " of %" PRIu64
                     " ranks started recording; in the others no chain came to a start%s",
                     seen, seen + missing, first.c_str());
}

void RegionController::begin_here() noexcept {
    if (state_.load(std::memory_order_acquire) == State::unborn && !writer::is_inside()) recorder::begin();
}

Fault RegionController::read(ControlSettings& settings, Plan& plan) noexcept {
    if (Fault fault = ControlSettings::from_environment(settings)) return fault;
    if (settings.chains.empty()) return {};
    if (Fault fault = make_plan(settings.chains, {mpi_function_names()}, plan)) return fault;
    return find_missing_back_end(plan, is_code_library_loaded() ? CodeLibrary::present : CodeLibrary::absent);
}

// A rank that --control-ranks leaves out has no controller. With scope `job` it still switches with the
// others.
bool RegionController::make() noexcept {
    ControlSettings settings;
    Plan plan;
    if (is_launcher()) return false;
    std::optional<uint32_t> rank = own_rank();
    if (Fault fault = read(settings, plan)) {
        writer::warn("OVNI_CONTROL: %s; all is recorded", fault->message().c_str());
        settings = {};
        plan = {};
    }
    bool is_present = settings.concern(rank);
    bool is_switched = is_present || settings.scope == Scope::job;
    if (is_switched && !plan.begins_recording(settings.default_start)) first_ = writer::Recording::off;
    delivery_.set_up(settings, rank, first_);
    if (!is_present || plan.chains.empty()) return is_present;
    auto* running = new Running(*this, service_, plan, settings, born_);
    running_.store(running, std::memory_order_release);
    return true;
}

void RegionController::fired(const Firing& firing, std::string_view cause) noexcept {
    bool is_reported = own_thread.phase == Phase::helper;
    writer::Stream* stream =
        is_reported ? reported_stream_.load(std::memory_order_relaxed) : recorder::own_stream();
    Outcome outcome = delivery_.deliver(firing, cause, stream);
    if (is_reported)
        unannounced_.push_back({firing, outcome});
    else
        delivery_.call_listeners(firing, cause);
}

void RegionController::hit(AlarmKind kind, uint64_t value, int64_t detail) noexcept {
    if (running() != nullptr && attach()) running()->engine().hit(own_thread.thread, kind, value, detail);
}

void RegionController::hit(AlarmKind kind, std::string_view text, int64_t detail) noexcept {
    if (running() != nullptr && attach()) running()->engine().hit(own_thread.thread, kind, text, detail);
}

void RegionController::hit(std::span<const uint16_t> alarms) noexcept {
    if (running() == nullptr) return;
    if (writer::own_thread_state.forks) return deferred_.add(alarms);
    if (!writer::is_inside() && attach()) running()->engine().hit(own_thread.thread, alarms);
}

void RegionController::fork_ends(void (*release)() noexcept) noexcept {
    DeferredHits hits = std::exchange(deferred_, {});
    release();
    const uint64_t lost = hits.report([](uint16_t alarm) { controller().hit({&alarm, 1}); });
    if (lost > 0)
        writer::complain(writer::Trouble::control, "ovni",
                         "--control: %" PRIu64 " hits in a fork are not counted, as there were too many",
                         lost);
}

bool RegionController::is_armed_somewhere(uint16_t alarm) const noexcept {
    if (running() == nullptr) return false;
    const Engine& engine = running()->engine();
    return engine.is_armed_somewhere(alarm) ||
           (!is_main_attached_.load(std::memory_order_acquire) && engine.is_armed_for_new_threads(alarm));
}

bool RegionController::is_armed_here(uint16_t alarm) noexcept {
    return running() != nullptr && attach_if_started() &&
           running()->engine().is_armed(own_thread.thread, alarm);
}

uint64_t RegionController::instructions_until_next() noexcept {
    constexpr uint64_t none = std::numeric_limits<uint64_t>::max();
    if (running() == nullptr || !attach_if_started()) return none;
    const uint64_t until = running()->engine().begin_count(own_thread.thread);
    return until < largest_target ? until : none;
}

bool RegionController::begins_sample() noexcept {
    return running() != nullptr && attach() && running()->engine().begins_sample(own_thread.thread);
}

void RegionController::execute(uint64_t instructions) noexcept {
    if (running() != nullptr && attach()) running()->engine().settle(own_thread.thread, instructions);
}

void RegionController::begin_block(uint64_t instructions) noexcept {
    if (running() != nullptr && attach()) running()->engine().block(own_thread.thread, instructions);
}

bool RegionController::fire(Event event, uint32_t thread, bool is_broadcast) noexcept {
    constexpr std::string_view program_cause = "program";
    begin_here();
    if (state_.load(std::memory_order_acquire) != State::present) return false;
    if (running() != nullptr) attach();
    // A listener that the service calls speaks for the thread that the event concerns.
    bool is_helper = own_thread.phase == Phase::helper;
    uint32_t own = is_helper ? thread_of_listener_ : own_number();
    if (thread == all_threads) thread = own;
    Firing firing{event, thread, is_broadcast, no_alarm};
    if (thread == own && !is_helper) {
        delivery_.deliver(firing, program_cause, recorder::own_stream());
    } else {
        // A handler must not find the table in use by the thread that it interrupts.
        writer::SignalsWait signals;
        ThreadTable::Use other = threads_.find(thread);
        delivery_.deliver(firing, program_cause, other ? other.stream() : nullptr);
    }
    delivery_.call_listeners(firing);
    return true;
}

}  // namespace ovni::region
