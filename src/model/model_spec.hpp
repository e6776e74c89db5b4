// The meaning of events, as constant tables: one table file per event model in this folder. A table says
// which channels a model has, which values they show, and what each event does to them. Real logic (tasks,
// marks) is in a hook of src/emu.
//
// Each table asserts well_formed() (well_formed.hpp), so a wrong row does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/semver.hpp"
#include "model/definition.hpp"

namespace ovni {

enum class ChannelKind : uint8_t {
    single,
    stack,
    punctual  // all of its states are: see Lasts
};

// When a row shows a channel: a thread's row always, while the thread runs, or while it runs, cools down or
// warms up; a CPU's row while it has one running or one active thread, or never: then it has no such type.
enum class Tracking : uint8_t { any, running, active, none };

// Whether a value is written again if the row shows it already.
enum class Repeats : uint8_t {
    skip,       // not written again
    skip_null,  // only an empty value is not written again
    write       // written again
};

enum class Duplicates : uint8_t { forbidden, allowed };  // setting or pushing the value that is already there

// The labels of a channel's values: those of its states, and for task_types also the task types of the trace.
enum class Labels : uint8_t { of_states, task_types };

// A punctual state has no end of its own: it is shown for 1 ns before its event, over the state of its
// channel, which is shown again afterwards.
enum class Lasts : uint8_t { until_left, one_ns };

// A value of a channel, with the events that enter and leave it: on a stack push and pop, on a single channel
// set and clear. An event may be missing (""), if a hook sets the value or nothing clears it. A rule without
// a label is one more pair of events for the value of another rule. A punctual state has no `leave`; in a
// channel of kind `punctual` every state is one.
struct StateRule {
    std::string_view enter, leave;
    int64_t value = 0;
    std::string_view label;
    Lasts lasts = Lasts::until_left;
};

// The value of a thread row while its tracking disables the channel, labelled only if a line of the trace
// carries it. Without a value the row shows nothing.
struct DisabledState {
    int64_t value = 0;
    std::string_view label = {};
};

// More values of a channel, which a hook sets: labelled only if a line of the trace carries them.
struct FurtherStates {
    int64_t first = 0;  // value of the first label
    std::span<const std::string_view> labels = {};
};

struct ChannelSpec {
    std::string_view name;
    ChannelKind kind = ChannelKind::single;
    Duplicates duplicates = Duplicates::forbidden;
    uint16_t prv_type = 0;
    Tracking tracking = Tracking::any;          // of the thread row: any, running or active
    Tracking cpu_tracking = Tracking::running;  // of the CPU row: running, active or none
    Repeats repeats = Repeats::skip;
    std::string_view title;  // of the type in the PCF, without "of the RUNNING thread"
    std::span<const StateRule> states = {};
    FurtherStates further = {};
    Labels labels = Labels::of_states;
    int64_t initial = 0;      // of every thread before its first event; 0: nothing
    int64_t cpu_default = 0;  // shown by a CPU row if no thread runs; 0: nothing
    DisabledState disabled = {};
    // Version of the model: rows have the channel only if a stream requires that or a newer one. Such
    // channels are the last of their model.
    std::string_view since = {};
};

constexpr bool is_punctual(const ChannelSpec& channel, const StateRule& rule) {
    return channel.kind == ChannelKind::punctual || rule.lasts == Lasts::one_ns;
}
constexpr bool has_punctual_states(const ChannelSpec& channel) {
    bool any = channel.kind == ChannelKind::punctual;
    for (const StateRule& rule : channel.states) any |= is_punctual(channel, rule);
    return any;
}

enum class Action : uint8_t { ignore, push, pop, set, clear, hook, punctual };

// The effect of an event on the states of its thread. The writer and ovnicut close open states, and open them
// again, by these kinds.
enum class StateKind : uint8_t {
    push,
    pop,
    set,  // replaces the value of a single channel
    clear,
    run,  // begins the body of a task: on a stack, but it pauses, goes on, and ends once
    end,
    pause,
    resume,
    always  // a definition: belongs to no state, and is recorded even while recording is off
};

// The channel of marks of every type, which no table lists.
inline constexpr uint8_t all_marks = 0xfe;

// The effect of a hook on states: the emulator's code is no table, so the event's row declares it. Every
// event with a hook needs a declaration: `stateless`, `defines`, or the kind and channel of a state.
struct HookState {
    enum class Declared : uint8_t { no, stateless, kind };
    StateKind kind = StateKind::always;
    uint8_t channel = 0;             // of the model, or all_marks
    std::string_view opposite = {};  // the event that closes the state; of `run` the one that pauses it
    // Bytes of the payload that name the state within its channel: the type of a mark, the body of a task.
    uint8_t key_at = 0, key_size = 0;
    uint8_t kept = 0;  // leading bytes of the payload that are repeated when the state is opened again
    Declared declared = Declared::kind;
};
inline constexpr HookState undeclared{.declared = HookState::Declared::no};
inline constexpr HookState stateless{.declared = HookState::Declared::stateless};
inline constexpr HookState defines{.kind = StateKind::always};

// An event that is not in a StateRule: ignored, handled by a hook of src/emu, or, if it has arguments, one
// that shows a punctual value of a channel.
struct EventSpec {
    std::string_view signature;    // definition language
    std::string_view description;  // definition language
    Action action = Action::hook;
    HookState state = undeclared;
    enum class Listed : uint8_t { yes, no } listed = Listed::yes;  // no: accepted, but not documented
    // For `punctual`; for push, pop, set, clear: only in the rows that StateRules expand to.
    uint8_t channel = 0;
    int64_t value = 0;
    NameOf* name_of = nullptr;  // what %@{} prints for a number; a signed one may have no name
};

// An output of its own that shows what all CPUs of the system do: one value per physical CPU, sorted, so that
// row r shows the r-th smallest. The value of a CPU is
//   the idle channel, if there is one and it does not show its initial value;
//   else the detail channel, if it is set, and, with `detail_at`, the base channel shows that value;
//   else the base channel; `otherwise` if that is empty.
struct BreakdownSpec {
    static constexpr uint8_t no_channel = 0xff;
    uint16_t prv_type = 0;
    std::string_view title;
    uint8_t base = 0, detail = 0, idle = no_channel;  // channels of the model
    int64_t detail_at = 0;
    int64_t otherwise = 0;
    // declared: every thread must say in its metadata whether it is suited (nosv.can_breakdown).
    enum class Suitability : uint8_t { given, declared } suitability = Suitability::given;
};

// The state that a thread must be in to emit an event of the model.
enum class Guard : uint8_t { none, on_cpu, running, active, active_on_cpu };

// For ModelSpec::linter_channel, the channel that must be empty at the end of every thread in linter mode.
inline constexpr uint8_t no_linter = 0xff;

// Names of the window configurations made for a model's channels: see sink/paraver/cfg.
struct ViewSpec {
    std::string_view file;   // below cfg/thread or cfg/cpu, e.g. "mpi/function.cfg"
    std::string_view title;  // behind "Thread: " or "CPU: "
    uint32_t prv_type = 0;
    enum class Row : uint8_t { thread, cpu } row = Row::thread;
    enum class Colors : uint8_t { code, gradient } colors = Colors::code;
    enum class ValueOf : uint8_t { last_event, next_event } value = ValueOf::last_event;
};

// The details of a payload beyond the arguments of its signature, as text to append to the description.
using DetailsOf = std::string(EventCode code, std::span<const uint8_t> payload);

// Whether the reference has the model, too. Only then -a shows it for a trace that does not require it.
enum class Origin : uint8_t { reference, ours };

struct ModelSpec {
    char id = 0;
    std::string_view name;
    std::string_view version;
    Origin origin = Origin::reference;
    Guard guard = Guard::none;
    uint8_t linter_channel = no_linter;
    // Events of this category are accepted and ignored, with any value; 0: none.
    char ignored_category = 0;
    std::span<const ChannelSpec> channels = {};
    std::span<const EventSpec> events = {};
    std::span<const ViewSpec> views = {};
    const BreakdownSpec* breakdown = nullptr;
    DetailsOf* details = nullptr;
};

// Every model of this build, in ascending order of the id. Models are set up and lines are written in this
// order.
std::span<const ModelSpec* const> all_models();
const ModelSpec* find_model(char id);
const ModelSpec* find_model(std::string_view name);

// An event of the union of all tables, StateRules expanded: for a rule with the label X "begin: X" and "end:
// X", or "instant: X".
struct EventEntry {
    const ModelSpec* model = nullptr;
    const EventSpec* event = nullptr;
    Signature signature;
};
// The event with that code; model and event are nullptr if there is none.
const EventEntry& find_event(EventCode code);
// All events of a model: those of the StateRules in channel order, then the listed ones of its table, then
// the others.
std::span<const EventEntry> events_of(const ModelSpec& model);
// Only the listed ones.
std::span<const EventEntry> listed_events_of(const ModelSpec& model);

}  // namespace ovni
