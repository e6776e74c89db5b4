#include "emu/plan.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/log.hpp"
#include "core/semver.hpp"

namespace ovni {

namespace {

std::string json_path(const Trace& trace, uint32_t stream) {
    return (trace.directory() / trace.streams()[stream].relative_path / "stream.json").string();
}

// Does any thread require the model, and is every required version one that we can read?
bool is_required(const ModelSpec& model, const Trace& trace, const System& system) {
    bool required = false;
    for (const ThreadInfo& thread : system.threads()) {
        const auto& wanted = trace.streams()[thread.stream].metadata.require;
        auto found = wanted.find(std::string(model.name));
        if (found == wanted.end()) continue;
        auto want = parse_version(found->second);
        if (!want)
            throw Error(fmt::format("ovni.require.{}: '{}' is not a version", model.name, found->second),
                        json_path(trace, thread.stream));
        if (!compatible(*want, *parse_version(model.version)))
            throw Error(fmt::format("requires version {} of model {}, this emulator has {}", found->second,
                                    model.name, model.version),
                        json_path(trace, thread.stream));
        required = true;
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
    }
    return "";
}

EventType event_type(const ChannelSpec& channel, Tracking tracking) {
    EventType type{channel.prv_type, fmt::format("{} {}", channel.title, suffix(tracking)), {}};
    for (const StateRule& state : channel.states)
        if (!state.label.empty()) type.labels.emplace_back(state.value, state.label);
    return type;
}

void add_channels(Plan& plan, const ModelSpec& model) {
    for (const ChannelSpec& channel : model.channels) {
        plan.channels.push_back({.name = fmt::format("{}.{}", model.name, channel.name),
                                 .kind = channel.kind == ChannelKind::stack ? ChannelPlan::Kind::stack
                                                                            : ChannelPlan::Kind::single,
                                 .duplicates = channel.duplicates,
                                 .tracking = channel.tracking,
                                 .cpu_tracking = channel.cpu_tracking,
                                 .repeats = channel.repeats,
                                 .prv_type = channel.prv_type,
                                 .initial = channel.initial == 0 ? Value() : channel.initial,
                                 .cpu_default = channel.cpu_default == 0 ? Value() : channel.cpu_default});
        plan.schema.thread.types.push_back(event_type(channel, channel.tracking));
        plan.schema.cpu.types.push_back(event_type(channel, channel.cpu_tracking));
    }
}

// The union of the mark types of all threads, in order of first definition.
class Marks {
 public:
    Marks(const Trace& trace, const System& system) {
        for (const ThreadInfo& thread : system.threads()) {
            path_ = json_path(trace, thread.stream);
            for (const MarkType& mark : trace.streams()[thread.stream].metadata.marks) add(mark);
        }
        for (const MarkType& mark : marks_) check_labels(mark);
    }
    const std::vector<MarkType>& all() const { return marks_; }

 private:
    void add(const MarkType& mark) {
        auto known = std::ranges::find(marks_, mark.type, &MarkType::type);
        if (known == marks_.end()) {
            marks_.push_back(mark);
            return;
        }
        if (known->title != mark.title || known->kind != mark.kind)
            throw Error(
                fmt::format("mark type {} has another title or kind ('{}') than in an earlier stream ('{}')",
                            mark.type, mark.title, known->title),
                path_);
        for (const auto& [value, label] : mark.labels) {
            auto same = std::ranges::find(known->labels, value, [](auto& l) { return l.first; });
            if (same == known->labels.end())
                known->labels.emplace_back(value, label);
            else if (same->second != label)
                throw Error(fmt::format("value {} of mark type {} is '{}' here and '{}' in an earlier stream",
                                        value, mark.type, label, same->second),
                            path_);
        }
    }
    // A PCF labels values of 32 bits.
    void check_labels(const MarkType& mark) const {
        std::map<int32_t, std::string> seen;
        for (const auto& [value, label] : mark.labels)
            if (!seen.emplace(static_cast<int32_t>(value), label).second)
                throw Error(fmt::format("two labels of mark type {} have the same value in 32 bits, {}",
                                        mark.type, static_cast<int32_t>(value)),
                            path_);
    }
    std::string path_;
    std::vector<MarkType> marks_;
};

ChannelPlan::Kind channel_kind(MarkType::Kind kind) {
    switch (kind) {
        case MarkType::Kind::single:
            return ChannelPlan::Kind::single;
        case MarkType::Kind::stack:
            return ChannelPlan::Kind::stack;
        case MarkType::Kind::punctual:
            return ChannelPlan::Kind::punctual;
    }
    return ChannelPlan::Kind::single;
}

void add_marks(Plan& plan, const Trace& trace, const System& system) {
    constexpr size_t most_types = 100;
    plan.mark_channels.assign(most_types, Plan::no_channel);
    Marks marks(trace, system);
    for (const MarkType& mark : marks.all()) {
        auto type = static_cast<uint16_t>(prv_type::first_mark + mark.type);
        plan.mark_channels[static_cast<size_t>(mark.type)] = plan.channel_count();
        plan.channels.push_back({.name = fmt::format("mark {}", mark.type),
                                 .kind = channel_kind(mark.kind),
                                 .duplicates = Duplicates::allowed,
                                 .tracking = Tracking::active,
                                 .repeats = Repeats::skip_null,
                                 .prv_type = type});
        plan.schema.thread.types.push_back({type, mark.title, mark.labels});
        plan.schema.cpu.types.push_back({type, mark.title, mark.labels});
    }
}

// Names of the hardware counters by number, the same in all threads that have any.
std::vector<std::string> counter_names(const Trace& trace, const System& system) {
    std::vector<std::string> names;
    for (const ThreadInfo& thread : system.threads()) {
        const auto& counters = trace.streams()[thread.stream].metadata.hardware_counters;
        if (counters.empty()) continue;
        if (names.empty()) names.resize(counters.size());
        auto fail = [&](const std::string& what) { throw Error(what, json_path(trace, thread.stream)); };
        if (counters.size() != names.size())
            fail(fmt::format("{} hardware counters here and {} in an earlier stream", counters.size(),
                             names.size()));
        for (const auto& [index, name] : counters) {
            if (static_cast<size_t>(index) >= names.size())
                fail(fmt::format("hardware counter {} of {}", index, names.size()));
            std::string& known = names[static_cast<size_t>(index)];
            if (!known.empty() && known != name)
                fail(fmt::format("hardware counter {} is '{}' here and '{}' in an earlier stream", index,
                                 name, known));
            known = name;
        }
    }
    return names;
}

void add_counters(Plan& plan, const Trace& trace, const System& system) {
    plan.counters = counter_names(trace, system);
    plan.first_counter = plan.channel_count();
    for (size_t i = 0; i < plan.counters.size(); ++i) {
        auto type = static_cast<uint16_t>(prv_type::first_counter + i);
        plan.channels.push_back({.name = "hardware counter " + plan.counters[i],
                                 .duplicates = Duplicates::allowed,
                                 .tracking = Tracking::active,
                                 .repeats = Repeats::skip_null,
                                 .zero = ChannelPlan::ZeroLegal::yes,
                                 .prv_type = type});
        plan.schema.thread.types.push_back({type, plan.counters[i], {}});
        plan.schema.cpu.types.push_back({type, plan.counters[i], {}});
    }
}

// Is every thread suited? One that does not say so is an error.
bool all_suited(const ModelSpec& model, const Trace& trace, const System& system) {
    size_t suited = 0;
    for (const ThreadInfo& thread : system.threads()) {
        const auto& told = trace.streams()[thread.stream].metadata.can_breakdown;
        if (!told)
            throw Error(fmt::format("{}.can_breakdown is missing, the breakdown needs it", model.name),
                        json_path(trace, thread.stream));
        suited += *told ? 1 : 0;
    }
    if (suited == system.threads().size()) {
        log::info("enabling the breakdown of model {}", model.name);
        return true;
    }
    log::warn("no breakdown of model {}: not all threads are suited for it (suitable {}/{})", model.name,
              suited, system.threads().size());
    return false;
}

FileSchema breakdown_schema(const ModelSpec& model, const System& system) {
    const BreakdownSpec& spec = *model.breakdown;
    FileSchema schema;
    schema.name = fmt::format("{}-breakdown", model.name);
    for (size_t left = system.cpus().size() - system.looms().size(); left > 0; --left)
        schema.rows.push_back(fmt::format("~CPU {:4}", left));
    EventType type{spec.prv_type, fmt::format("CPU: {}", spec.title), {}};
    for (uint8_t channel : {spec.base, spec.idle}) {
        if (channel == BreakdownSpec::no_channel) continue;
        for (const StateRule& state : model.channels[channel].states)
            if (!state.label.empty()) type.labels.emplace_back(state.value, state.label);
    }
    schema.types.push_back(type);
    return schema;
}

void add_breakdown(Plan& plan, const ModelPlan& model, const Trace& trace, const System& system) {
    const BreakdownSpec& spec = *model.spec->breakdown;
    bool declared = spec.suitability == BreakdownSpec::Suitability::declared;
    if (declared && !all_suited(*model.spec, trace, system)) return;
    auto channel = [&](uint8_t index) {
        return index == BreakdownSpec::no_channel ? BreakdownPlan::no_channel
                                                  : static_cast<uint16_t>(model.first_channel + index);
    };
    BreakdownPlan breakdown{model.spec, channel(spec.base), channel(spec.detail), channel(spec.idle)};
    for (uint16_t c : {breakdown.base, breakdown.detail, breakdown.idle})
        if (c != BreakdownPlan::no_channel)
            plan.channels[c].breakdown = static_cast<uint8_t>(plan.breakdowns.size());
    plan.breakdowns.push_back(breakdown);
    plan.schema.breakdowns.push_back(breakdown_schema(*model.spec, system));
}

Schema system_schema(const System& system) {
    Schema schema;
    schema.thread.name = "thread";
    schema.cpu.name = "cpu";
    for (const ThreadInfo& thread : system.threads()) schema.thread.rows.push_back(thread.label);
    EventType affinity{prv_type::cpu, "Thread: CPU affinity", {}};
    for (const CpuInfo& cpu : system.cpus()) {
        schema.cpu.rows.push_back(cpu.label);
        affinity.labels.emplace_back(schema.cpu.rows.size(), cpu.label);
    }
    schema.thread.types = {
        affinity,
        {prv_type::tid, "Thread: TID of the ACTIVE thread", {}},
        {prv_type::thread_state,
         "Thread: thread state",
         {{0, "Unknown"}, {1, "Running"}, {2, "Paused"}, {3, "Dead"}, {4, "Cooling"}, {5, "Warming"}}}};
    return schema;
}

// A label of the trace's own for that value stays.
void add_label(FileSchema& file, uint16_t type, int64_t value, const char* label) {
    auto found = std::ranges::find(file.types, type, &EventType::type);
    if (found == file.types.end()) return;
    if (std::ranges::none_of(found->labels, [&](auto& l) { return l.first == value; }))
        found->labels.emplace_back(value, label);
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

Plan make_plan(const Trace& trace, const System& system, EnabledModels enabled, Breakdowns breakdowns) {
    Plan plan;
    plan.schema = system_schema(system);
    for (const ModelSpec* model : all_models()) {
        bool required = is_required(*model, trace, system);
        if (!required && enabled != EnabledModels::all && model->id != 'O') continue;
        plan.models.push_back({model, static_cast<uint16_t>(plan.channels.size())});
        add_channels(plan, *model);
        if (model->id == 'O') add_marks(plan, trace, system);
        if (model->breakdown && breakdowns == Breakdowns::yes)
            add_breakdown(plan, plan.models.back(), trace, system);
        if (model->id == 'V') add_counters(plan, trace, system);
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
    const ShownExtras what(plan.channels.size());
    if (shown[ShownExtras::not_traced])
        add_label(schema.thread, prv_type::thread_state, shown_value::not_traced, "Not traced");
    bool any_bad = false, any_too_many = false;
    for (size_t c = 0; c < plan.channels.size(); ++c) {
        uint16_t type = plan.channels[c].prv_type;
        bool bad = shown[what.bad(c)] != 0, too_many = shown[what.too_many_threads(c)] != 0;
        if (bad) add_label(schema.cpu, type, shown_value::bad, "Error: bad");
        if (too_many) add_too_many(schema, plan, c);
        any_bad |= bad;
        any_too_many |= too_many;
    }
    if (any_bad) schema.cpu.colors.push_back({shown_value::bad, 255, 0, 255});
    if (any_too_many) schema.cpu.colors.push_back({shown_value::too_many_threads, 255, 0, 0});
}

}  // namespace ovni
