// What events mean, as constant tables: one table file per event model in this folder. A table says which
// channels a model has, which values they show, and what each event does to them; real logic (tasks, marks)
// is in a hook.
//
// well_formed() is checked when a table is compiled: a wrong row does not build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/semver.hpp"
#include "model/definition.hpp"

namespace ovni {

enum class ChannelKind : uint8_t { single, stack };

// When a thread channel is shown: always, while the thread runs, or while it runs, cools down or warms up.
enum class Tracking : uint8_t { any, running, active };

// What happens when a row would show the same value twice in a row.
enum class Repeats : uint8_t {
    skip,       // not written again
    skip_null,  // only an empty value is not written again
    write       // written again
};

enum class Duplicates : uint8_t { forbidden, allowed };  // setting or pushing the value that is already there

// Which labels the values of a channel have beside those of its states: the task types of the trace.
enum class Labels : uint8_t { of_states, task_types };

// One value of a channel, with the events that bring and take it: on a stack push and pop, on a single
// channel set and clear. An event may be missing (""), where a hook sets the value or nothing clears it; a
// rule without label is one more pair of events for the value of another rule.
struct StateRule {
    std::string_view enter, leave;
    int64_t value = 0;
    std::string_view label;
};

// More values of a channel, which a hook sets: labelled only where a line of the trace carries them.
struct FurtherStates {
    int64_t first = 0;  // value of the first label
    std::span<const std::string_view> labels = {};
};

struct ChannelSpec {
    std::string_view name;
    ChannelKind kind = ChannelKind::single;
    Duplicates duplicates = Duplicates::forbidden;
    uint16_t prv_type = 0;
    Tracking tracking = Tracking::any;          // of the thread row
    Tracking cpu_tracking = Tracking::running;  // of the CPU row: running or active
    Repeats repeats = Repeats::skip;
    std::string_view title;  // of the type in the PCF, without "of the RUNNING thread"
    std::span<const StateRule> states = {};
    FurtherStates further = {};
    Labels labels = Labels::of_states;
    int64_t initial = 0;      // of every thread before its first event; 0: nothing
    int64_t cpu_default = 0;  // shown by a CPU row where no thread runs; 0: nothing
};

enum class Action : uint8_t { ignore, push, pop, set, clear, hook };

// An event that is not in a StateRule: ignored, or handled by a hook of emu/.
struct EventSpec {
    std::string_view signature;    // definition language
    std::string_view description;  // definition language
    Action action = Action::hook;
    enum class Listed : uint8_t { yes, no } listed = Listed::yes;  // no: accepted, but not documented
    uint8_t channel = 0;  // of push, pop, set, clear: only in the rows that StateRules expand to
    int64_t value = 0;
    NameOf* name_of = nullptr;  // what %@{} prints of a number; a signed one may have no name
};

// What all CPUs of the system do at a time, as an output of its own: one value per physical CPU, sorted, so
// that row r shows the r-th smallest. The value of a CPU is
//   the idle channel, where there is one and it does not show its initial value;
//   else the detail channel, where it is set, and, with `detail_at`, the base channel shows that value;
//   else the base channel; `otherwise` where that is empty.
struct BreakdownSpec {
    static constexpr uint8_t no_channel = 0xff;
    uint16_t prv_type = 0;
    std::string_view title;
    uint8_t base = 0, detail = 0, idle = no_channel;  // channels of the model
    int64_t detail_at = 0;
    int64_t otherwise = 0;
    // Must every thread say in its metadata whether it is suited for a breakdown (nosv.can_breakdown)?
    enum class Suitability : uint8_t { given, declared } suitability = Suitability::given;
};

// The state that a thread must be in to emit an event of the model.
enum class Guard : uint8_t { none, on_cpu, running, active, active_on_cpu };

// Which channel must be empty at the end of every thread in linter mode; no_linter for none.
inline constexpr uint8_t no_linter = 0xff;

// Names of the window configurations made for a model's channels: see sink/cfg.
struct ViewSpec {
    std::string_view file;   // below cfg/thread or cfg/cpu, e.g. "mpi/function.cfg"
    std::string_view title;  // behind "Thread: " or "CPU: "
    uint16_t prv_type = 0;
    enum class Row : uint8_t { thread, cpu } row = Row::thread;
    enum class Colors : uint8_t { code, gradient } colors = Colors::code;
    enum class ValueOf : uint8_t { last_event, next_event } value = ValueOf::last_event;
};

// What a payload says beyond the arguments of its signature, as text to be appended to the description.
using DetailsOf = std::string(EventCode code, std::span<const uint8_t> payload);

struct ModelSpec {
    char id = 0;
    std::string_view name;
    std::string_view version;
    Guard guard = Guard::none;
    uint8_t linter_channel = no_linter;
    // Events of this category are accepted and ignored whatever their value; 0: none.
    char ignored_category = 0;
    std::span<const ChannelSpec> channels = {};
    std::span<const EventSpec> events = {};
    std::span<const ViewSpec> views = {};
    const BreakdownSpec* breakdown = nullptr;
    DetailsOf* details = nullptr;
};

// Every model of this build, in ascending order of the id: the order in which models are set up and lines are
// written.
std::span<const ModelSpec* const> all_models();
const ModelSpec* find_model(char id);
const ModelSpec* find_model(std::string_view name);

// One event of the union of all tables, StateRules expanded: for a rule with the label X "begin: X" and "end:
// X".
struct EventEntry {
    const ModelSpec* model = nullptr;
    const EventSpec* event = nullptr;
    Signature signature;
};
// The event with that code; model and event are nullptr where there is none.
const EventEntry& find_event(EventCode code);
// All events of a model: those of the StateRules in channel order, then the others, those that are not listed
// last.
std::span<const EventEntry> events_of(const ModelSpec& model);
// Without those that are not listed.
std::span<const EventEntry> listed_events_of(const ModelSpec& model);

consteval bool well_formed_code(const ModelSpec& model, std::string_view code) {
    return code.size() == 3 && code[0] == model.id;
}

consteval bool well_formed_channel(const ModelSpec& model, const ChannelSpec& channel) {
    for (const StateRule& rule : channel.states) {
        if (rule.value == 0) return false;
        if (!rule.enter.empty() && !well_formed_code(model, rule.enter)) return false;
        if (!rule.leave.empty() && (rule.enter.empty() || !well_formed_code(model, rule.leave))) return false;
        bool labelled = false;
        for (const StateRule& other : channel.states)
            if (other.value == rule.value && !other.label.empty()) {
                if (labelled) return false;
                labelled = true;
            }
        if (!labelled) return false;
    }
    for (const ChannelSpec& other : model.channels)
        if (&other != &channel && other.prv_type == channel.prv_type) return false;
    return true;
}

// How often an event code stands in the tables of a model.
consteval int count_code(const ModelSpec& model, std::string_view code) {
    int count = 0;
    for (const ChannelSpec& channel : model.channels)
        for (const StateRule& rule : channel.states) count += (rule.enter == code) + (rule.leave == code);
    for (const EventSpec& event : model.events) count += event.signature.substr(0, 3) == code;
    return count;
}

consteval bool well_formed(const ModelSpec& model) {
    if (!parse_version(model.version)) return false;
    for (const ChannelSpec& channel : model.channels) {
        if (!well_formed_channel(model, channel)) return false;
        for (const StateRule& rule : channel.states) {
            if (!rule.enter.empty() && count_code(model, rule.enter) != 1) return false;
            if (!rule.leave.empty() && count_code(model, rule.leave) != 1) return false;
        }
    }
    for (const EventSpec& event : model.events) {
        SignatureResult parsed = parse_signature(event.signature);
        if (parsed.fault || parsed.signature.code.model() != model.id) return false;
        if (check_description(event.description, parsed.signature)) return false;
        if (event.description.find("%@{") != event.description.npos && !event.name_of) return false;
        if (event.action != Action::ignore && event.action != Action::hook) return false;
        if (count_code(model, event.signature.substr(0, 3)) != 1) return false;
    }
    if (const BreakdownSpec* breakdown = model.breakdown) {
        for (uint8_t channel : {breakdown->base, breakdown->detail, breakdown->idle})
            if (channel != BreakdownSpec::no_channel && channel >= model.channels.size()) return false;
    }
    return model.linter_channel == no_linter || model.linter_channel < model.channels.size();
}

}  // namespace ovni
