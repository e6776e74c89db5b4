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

struct ValueLabel {
    int64_t value = 0;
    std::string_view text;
};

enum class ChannelKind : uint8_t { single, stack };

// When a thread channel is shown: always, while the thread runs, or while it runs, cools down or warms up.
enum class Tracking : uint8_t { any, running, active };

// What happens when a row would show the same value twice in a row.
enum class Repeats : uint8_t {
    error,      // the model forbids it
    skip,       // not written again
    skip_null,  // only an empty value is not written again
    write       // written again
};

enum class Duplicates : uint8_t { forbidden, allowed };  // setting or pushing the value that is already there

struct ChannelSpec {
    std::string_view name;
    ChannelKind kind = ChannelKind::single;
    Duplicates duplicates = Duplicates::forbidden;
    uint16_t prv_type = 0;
    Tracking tracking = Tracking::any;
    Repeats repeats = Repeats::skip;
    std::string_view title;  // of the type in the PCF, without "of the RUNNING thread"
    std::span<const ValueLabel> labels;
    enum class LabelsFromTasks : uint8_t { no, yes } labels_from_tasks = LabelsFromTasks::no;
};

enum class Action : uint8_t { ignore, push, pop, set, clear, hook };

struct EventSpec {
    std::string_view signature;    // definition language
    std::string_view description;  // definition language
    Action action = Action::hook;
    uint8_t channel = 0;  // index in the model's channels; of push, pop, set, clear
    int64_t value = 0;    // of push, pop, set
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
};

struct ModelSpec {
    char id = 0;
    std::string_view name;
    std::string_view version;
    Guard guard = Guard::none;
    uint8_t linter_channel = no_linter;
    std::span<const ChannelSpec> channels;
    std::span<const EventSpec> events;
    std::span<const ViewSpec> views;
};

// Every model of this build, in ascending order of the id: the order in which models are set up and lines are
// written.
std::span<const ModelSpec* const> all_models();
const ModelSpec* find_model(char id);
const ModelSpec* find_model(std::string_view name);

struct EventEntry {
    const ModelSpec* model = nullptr;
    const EventSpec* event = nullptr;
    Signature signature;
};
// The event with that code; model and event are nullptr where there is none.
const EventEntry& find_event(EventCode code);

consteval bool well_formed(const ModelSpec& model) {
    if (!parse_version(model.version)) return false;
    for (const EventSpec& event : model.events) {
        SignatureResult parsed = parse_signature(event.signature);
        if (parsed.fault || parsed.signature.code.model() != model.id) return false;
        if (check_description(event.description, parsed.signature)) return false;
        bool on_channel = event.action != Action::ignore && event.action != Action::hook;
        if (on_channel && event.channel >= model.channels.size()) return false;
        if (on_channel && event.action != Action::clear && event.value == 0) return false;
        for (const EventSpec& other : model.events)
            if (&other != &event && other.signature.substr(0, 3) == event.signature.substr(0, 3))
                return false;
    }
    for (const ChannelSpec& channel : model.channels)
        for (const ChannelSpec& other : model.channels)
            if (&other != &channel && other.prv_type == channel.prv_type) return false;
    return model.linter_channel == no_linter || model.linter_channel < model.channels.size();
}

}  // namespace ovni
