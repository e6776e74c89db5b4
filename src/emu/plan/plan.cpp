#include "emu/plan/plan.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/log.hpp"
#include "core/semver.hpp"
#include "emu/plan/counter_plan.hpp"
#include "emu/plan/rank_names.hpp"
#include "emu/plan/start.hpp"
#include "emu/plan/trace_plan.hpp"
#include "emu/plan/worlds.hpp"
#include "ovni/counter_events.h"

namespace ovni {

namespace {

// The newest version of the model that a thread requires; nothing if none does. Throws Error if there is one
// that we cannot read.
std::optional<Version> required_version(const ModelSpec& model, const Trace& trace, const System& system) {
    std::optional<Version> required;
    for (const ThreadInfo& thread : system.threads()) {
        const auto& wanted = trace.streams()[thread.stream].metadata.common->require;
        auto found = wanted.find(std::string(model.name));
        if (found == wanted.end()) continue;
        auto want = parse_version(found->second);
        if (!want)
            throw Error(fmt::format("ovni.require.{}: '{}' is not a version", model.name, found->second),
                        trace.json_path_of(thread.stream));
        if (!compatible(*want, *parse_version(model.version)))
            throw Error(fmt::format("requires version {} of model {}, this emulator has {}", found->second,
                                    model.name, model.version),
                        trace.json_path_of(thread.stream));
        required = std::max(required, want);
    }
    return required;
}

void report(const std::vector<ModelPlan>& models, EnabledModels enabled) {
    if (enabled == EnabledModels::all)
        log::info("all {} models are enabled (-a):", models.size());
    else
        log::info("the following {} models are enabled:", models.size());
    for (const ModelPlan& model : models)
        log::info(" {:>8} {} '{}' ({} events)", model.spec->name, model.spec->version, model.spec->id,
                  listed_events_of(*model.spec).size());
}

const char* suffix(Tracking tracking) {
    switch (tracking) {
        case Tracking::any:
            return "";
        case Tracking::running:
            return "of the RUNNING thread";
        case Tracking::active:
            return "of the ACTIVE thread";
        case Tracking::none:
            return "";
    }
    return "";
}

EventType event_type(const ChannelSpec& channel, Tracking tracking) {
    EventType type{channel.prv_type, fmt::format("{} {}", channel.title, suffix(tracking)), {}};
    for (const StateRule& state : channel.states)
        if (!state.label.empty()) type.labels.emplace_back(state.value, state.label);
    return type;
}

// A channel that the version lacks is left out.
void add_channels(Plan& plan, const ModelSpec& model, std::optional<Version> version) {
    using Punctual = ChannelPlan::Punctual;
    for (const ChannelSpec& channel : model.channels) {
        if (!channel.since.empty() && version < parse_version(channel.since)) break;
        plan.channels.push_back({.name = fmt::format("{}.{}", model.name, channel.name),
                                 .kind = channel.kind,
                                 .punctual = has_punctual_states(channel) ? Punctual::yes : Punctual::no,
                                 .duplicates = channel.duplicates,
                                 .tracking = channel.tracking,
                                 .cpu_tracking = channel.cpu_tracking,
                                 .repeats = channel.repeats,
                                 .prv_type = channel.prv_type,
                                 .first_further = plan.further_count(),
                                 .initial = channel.initial == 0 ? Value() : channel.initial,
                                 .cpu_default = channel.cpu_default == 0 ? Value() : channel.cpu_default,
                                 .disabled = channel.disabled,
                                 .further = channel.further});
        plan.schema.thread.types.push_back(event_type(channel, channel.tracking));
        if (channel.cpu_tracking != Tracking::none)
            plan.schema.cpu.types.push_back(event_type(channel, channel.cpu_tracking));
    }
}

void add_processes(Schema& schema, const Trace& trace, const System& system) {
    schema.processes.reserve(system.processes().size());
    schema.threads.reserve(system.threads().size());
    const RankNames names(system);
    for (const ProcessInfo& process : system.processes()) {
        const uint32_t stream = system.threads()[process.first_thread].stream;
        const auto number = static_cast<uint32_t>(schema.processes.size());
        schema.processes.push_back({host_of(trace.streams()[stream].metadata),
                                    process.pid,
                                    process.rank,
                                    {},
                                    process.rank ? names.brief(number) : ""});
    }
    const std::vector<World> all = worlds(system);
    for (uint32_t w = 0; w < all.size(); ++w)
        for (const auto& [rank, process] : all[w].processes) schema.processes[process].world = w;
    for (const ThreadInfo& thread : system.threads()) {
        const auto& required = trace.streams()[thread.stream].metadata.common->require;
        const auto version = required.find(OVNI_COUNTERS_MODEL);
        const bool counts_at_once =
            version != required.end() && version->second != OVNI_COUNTERS_VERSION_OF_DELTAS;
        schema.threads.push_back({thread.process, thread.tid, counts_at_once});
    }
}

Schema system_schema(const System& system) {
    Schema schema;
    schema.thread.name = "thread";
    schema.cpu.name = "cpu";
    schema.thread.rows = system.thread_labels();
    schema.cpu.rows = system.cpu_labels();
    schema.thread.types = {
        {prv_type::cpu, "Thread: CPU affinity", ValueLabels(schema.cpu.rows)},
        {prv_type::tid, "Thread: TID of the ACTIVE thread", {}},
        {prv_type::thread_state,
         "Thread: thread state",
         {{0, "Unknown"}, {1, "Running"}, {2, "Paused"}, {3, "Dead"}, {4, "Cooling"}, {5, "Warming"}}}};
    schema.cpu.types = {{prv_type::pid, "CPU: PID of the RUNNING thread", {}, false},
                        {prv_type::tid, "CPU: TID of the RUNNING thread", {}, false},
                        {prv_type::running_threads, "CPU: Number of RUNNING threads", {}, false}};
    return schema;
}

// A label of the trace's own for that value stays.
void add_label(FileSchema& file, uint16_t type, int64_t value, std::string_view label) {
    auto found = std::ranges::find(file.types, type, &EventType::type);
    if (found == file.types.end()) return;
    if (!found->labels.find(value)) found->labels.emplace_back(value, label);
}

void add_further(Schema& schema, const Plan& plan, const ChannelPlan& channel,
                 const std::vector<int64_t>& shown, const ShownExtras& what) {
    const FurtherStates& further = channel.further;
    for (size_t i = 0; i < further.labels.size(); ++i) {
        if (!shown[what.further(channel.first_further + i)]) continue;
        const int64_t value = further.first + static_cast<int64_t>(i);
        for (FileSchema* file : {&schema.thread, &schema.cpu})
            add_label(*file, channel.prv_type, value, further.labels[i]);
        if (channel.breakdown == ChannelPlan::no_breakdown) continue;
        add_label(schema.breakdowns[channel.breakdown], plan.breakdowns[channel.breakdown].spec().prv_type,
                  value, further.labels[i]);
    }
}

// A CPU that shows it in a channel of a breakdown shows it there, too.
void add_too_many(Schema& schema, const Plan& plan, size_t c) {
    constexpr int64_t value = shown_value::too_many_threads;
    constexpr const char* label = "Error: too many threads";
    const ChannelPlan& channel = plan.channels[c];
    add_label(schema.cpu, channel.prv_type, value, label);
    if (channel.breakdown == ChannelPlan::no_breakdown) return;
    FileSchema& breakdown = schema.breakdowns[channel.breakdown];
    add_label(breakdown, plan.breakdowns[channel.breakdown].spec().prv_type, value, label);
    if (breakdown.colors.empty()) breakdown.colors.push_back({value, 255, 0, 0});
}

}  // namespace

void Plan::unknown_mark(int type) {
    throw Error(fmt::format("mark type {} is not defined", type));
}

const ModelPlan* Plan::find(char model) const {
    auto found = std::ranges::find(models, model, [](const ModelPlan& m) { return m.spec->id; });
    return found == models.end() ? nullptr : &*found;
}

Plan make_plan(const Trace& trace, const System& system, EnabledModels enabled, Breakdowns breakdowns,
               CallSites call_sites) {
    Plan plan;
    plan.schema = system_schema(system);
    add_processes(plan.schema, trace, system);
    plan.schema.began = run_began(trace);
    for (const ModelSpec* model : all_models()) {
        std::optional<Version> required = required_version(*model, trace, system);
        bool is_wanted = enabled == EnabledModels::all && model->origin == Origin::reference;
        if (!required && !is_wanted && model->id != 'O') continue;
        plan.models.push_back({model, static_cast<uint16_t>(plan.channels.size())});
        add_channels(plan, *model, required);
        if (model->id == 'O') add_marks(plan, trace, system);
        if (model->breakdown && breakdowns == Breakdowns::yes)
            add_breakdown(plan, plan.models.back(), trace, system);
        if (model->id == 'V') add_counters(plan, trace, system);
        if (model->id == 'M') add_call_sites(plan, std::exchange(call_sites, {}));
        if (model->id == 'C') add_instants(plan, trace, system);
    }
    report(plan.models, enabled);
    return plan;
}

std::vector<int64_t> ShownExtras::until(Moment end) const {
    std::vector<int64_t> shown;
    for (const Moment& first : first_) shown.push_back(first <= end ? 1 : 0);
    return shown;
}

void add_labels(Schema& schema, const Plan& plan, const std::vector<int64_t>& shown) {
    const ShownExtras what(plan);
    if (shown[ShownExtras::not_traced])
        add_label(schema.thread, prv_type::thread_state, shown_value::not_traced, "Not traced");
    bool any_bad = false, any_too_many = false;
    for (size_t c = 0; c < plan.channels.size(); ++c) {
        uint16_t type = plan.channels[c].prv_type;
        bool bad = shown[what.bad(c)] != 0, too_many = shown[what.too_many_threads(c)] != 0;
        add_further(schema, plan, plan.channels[c], shown, what);
        const DisabledState& disabled = plan.channels[c].disabled;
        if (shown[what.disabled(c)]) add_label(schema.thread, type, disabled.value, disabled.label);
        if (bad) add_label(schema.cpu, type, shown_value::bad, "Error: bad");
        if (too_many) add_too_many(schema, plan, c);
        any_bad |= bad;
        any_too_many |= too_many;
    }
    if (any_bad) schema.cpu.colors.push_back({shown_value::bad, 255, 0, 255});
    if (any_too_many) schema.cpu.colors.push_back({shown_value::too_many_threads, 255, 0, 0});
}

}  // namespace ovni
