#include "emu/plan/trace_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/log.hpp"

namespace ovni {

namespace {

// The union of the mark types of all threads, in order of first definition.
class Marks {
 public:
    Marks(const Trace& trace, const System& system) {
        std::set<const std::vector<MarkType>*> added;
        for (const ThreadInfo& thread : system.threads()) {
            const std::vector<MarkType>& declared = *trace.streams()[thread.stream].metadata.common->marks;
            if (declared.empty() || !added.insert(&declared).second) continue;
            path_ = trace.json_path_of(thread.stream);
            for (const MarkType& mark : declared) check_labels(add(mark));
        }
    }
    const std::vector<MarkType>& all() const { return marks_; }

 private:
    // Returns all that is known of that type.
    const MarkType& add(const MarkType& mark) {
        auto known = std::ranges::find(marks_, mark.type, &MarkType::type);
        if (known == marks_.end()) return marks_.emplace_back(mark);
        if (known->title != mark.title || known->kind != mark.kind)
            throw Error(
                fmt::format(
                    "mark type {} has another title or kind ('{}', {}) than in an earlier stream ('{}', {})",
                    mark.type, mark.title, mark_kind_names[static_cast<size_t>(mark.kind)], known->title,
                    mark_kind_names[static_cast<size_t>(known->kind)]),
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
        return *known;
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

ChannelKind channel_kind(MarkKind kind) {
    switch (kind) {
        case MarkKind::single:
            return ChannelKind::single;
        case MarkKind::stack:
            return ChannelKind::stack;
        case MarkKind::punctual:
            return ChannelKind::punctual;
    }
    return ChannelKind::single;
}

// Names of the hardware counters by number, equal in all threads that have any.
std::vector<std::string> counter_names(const Trace& trace, const System& system) {
    std::vector<std::string> names;
    for (const ThreadInfo& thread : system.threads()) {
        const auto& counters = trace.streams()[thread.stream].metadata.common->hardware_counters;
        if (counters.empty()) continue;
        if (names.empty()) names.resize(counters.size());
        auto fail = [&](const std::string& what) { throw Error(what, trace.json_path_of(thread.stream)); };
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

// True if every thread is suited. Throws Error for a thread that does not say whether it is.
bool all_suited(const ModelSpec& model, const Trace& trace, const System& system) {
    size_t suited = 0;
    for (const ThreadInfo& thread : system.threads()) {
        const auto& is_suited = trace.streams()[thread.stream].metadata.common->can_breakdown;
        if (!is_suited)
            throw Error(
                fmt::format("{}.can_breakdown is missing, the breakdown needs it: leave -b out", model.name),
                trace.json_path_of(thread.stream));
        suited += *is_suited ? 1 : 0;
    }
    if (suited == system.threads().size()) {
        log::info("enabling the breakdown of model {}", model.name);
        return true;
    }
    log::warn("no breakdown of model {}: not all threads are suited for it (suitable {}/{})", model.name,
              suited, system.threads().size());
    return false;
}

// The text of a site in a line of PRV; 0 for levels that its chain does not have.
std::string expansion(const CallSites::Chain& chain, size_t levels) {
    std::string functions, lines;
    for (size_t i = 0; i < levels; ++i) {
        CallSites::Caller caller = i < chain.size() ? chain[i] : CallSites::Caller();
        functions += fmt::format(":{}:{}", prv_type::caller + i + 1, caller.function);
        lines += fmt::format(":{}:{}", prv_type::caller_line + i + 1, caller.line);
    }
    return functions + lines;
}

EventType caller_type(uint32_t type, std::string title, const std::vector<std::string>& labels) {
    EventType all{type, std::move(title), {{0, "End"}}};
    for (size_t i = 0; i < labels.size(); ++i)
        all.labels.emplace_back(static_cast<int64_t>(i + 1), labels[i]);
    return all;
}

FileSchema breakdown_schema(const ModelSpec& model, const System& system) {
    const BreakdownSpec& spec = *model.breakdown;
    FileSchema schema;
    schema.name = breakdown_name(model);
    TextList rows;
    for (size_t left = system.cpus().size() - system.looms().size(); left > 0; --left)
        rows.push_back(fmt::format("~CPU {:4}", left));
    schema.rows = std::move(rows);
    EventType type{spec.prv_type, fmt::format("CPU: {}", spec.title), {}};
    for (uint8_t channel : {spec.base, spec.idle}) {
        if (channel == BreakdownSpec::no_channel) continue;
        for (const StateRule& state : model.channels[channel].states)
            if (!state.label.empty()) type.labels.emplace_back(state.value, state.label);
    }
    schema.types.push_back(type);
    return schema;
}

}  // namespace

std::string breakdown_name(const ModelSpec& model) {
    return fmt::format("{}-breakdown", model.name);
}

// All sites have one channel: a value is a site, with all levels of its callers.
void add_call_sites(Plan& plan, CallSites sites) {
    if (sites.empty()) return;
    plan.site_channel = plan.channel_count();
    plan.channels.push_back({.name = "mpi.call site",
                             .duplicates = Duplicates::allowed,
                             .tracking = Tracking::running,
                             .cpu_tracking = Tracking::none,
                             .prv_type = prv_type::call_site});
    FileSchema& file = plan.schema.thread;
    EventType type{prv_type::call_site, "Call site of MPI of the RUNNING thread", {}, false};
    file.expanded_type = prv_type::call_site;
    file.expansions.push_back(expansion({}, sites.levels()));
    for (uint32_t site = 1; site <= sites.chains().size(); ++site) {
        type.labels.emplace_back(site, sites.text(site));
        file.expansions.push_back(expansion(sites.chains()[site - 1], sites.levels()));
    }
    file.types.push_back(std::move(type));
    for (uint32_t level = 1; level <= sites.levels(); ++level) {
        file.types_of_expansions.push_back(caller_type(
            prv_type::caller + level, fmt::format("Caller at level {}", level), sites.functions()));
        file.types_of_expansions.push_back(caller_type(
            prv_type::caller_line + level, fmt::format("Caller line at level {}", level), sites.lines()));
    }
    plan.call_sites = std::move(sites);
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
                                 .punctual = mark.kind == MarkKind::punctual ? ChannelPlan::Punctual::yes
                                                                             : ChannelPlan::Punctual::no,
                                 .duplicates = Duplicates::allowed,
                                 .tracking = Tracking::active,
                                 .repeats = Repeats::skip_null,
                                 .prv_type = type});
        plan.schema.thread.types.push_back({type, mark.title, mark.labels});
        plan.schema.cpu.types.push_back({type, mark.title, mark.labels});
    }
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

}  // namespace ovni
