// Event model `nosv`: tasks, bodies and runtime of nOS-V. Tasks are handled in emu/hooks/task_hooks.cpp,
// hardware counters in emu/hooks/nosv_hooks.cpp.
#include "model/channel_numbers.hpp"
#include "model/well_formed.hpp"

namespace ovni {

namespace {

constexpr StateRule subsystem_states[] = {
    {"", "", 2, "Unknown subsystem"},
    {"VSh", "VSf", 6, "Scheduler: Hungry"},
    {"VS[", "VS]", 7, "Scheduler: Serving"},
    {"VSN", "VSn", 7, ""},
    {"VU[", "VU]", 8, "Scheduler: Submitting"},
    {"VMa", "VMA", 9, "Memory: Allocating"},
    {"VMf", "VMF", 10, "Memory: Freeing"},
    {"", "", 11, "Task: In body"},
    {"VAr", "VAR", 12, "API: Create"},
    {"VAd", "VAD", 13, "API: Destroy"},
    {"VAs", "VAS", 14, "API: Submit"},
    {"VAp", "VAP", 15, "API: Pause"},
    {"VAy", "VAY", 16, "API: Yield"},
    {"VAw", "VAW", 17, "API: Waitfor"},
    {"VAc", "VAC", 18, "API: Scheduling point"},
    {"VAa", "VAA", 19, "API: Attach"},
    {"VAe", "VAE", 20, "API: Detach"},
    {"VAl", "VAL", 21, "API: Mutex lock"},
    {"VAt", "VAT", 22, "API: Mutex trylock"},
    {"VAu", "VAU", 23, "API: Mutex unlock"},
    {"VAb", "VAB", 24, "API: Barrier wait"},
    {"VAo", "VAO", 25, "API: Cond wait"},
    {"VAg", "VAG", 26, "API: Cond signal"},
    {"VAk", "VAK", 27, "API: Cond broadcast"},
    {"VAj", "VAJ", 28, "API: Join"},
    {"VAm", "VAM", 29, "API: Join all"},
    {"VAi", "VAI", 30, "API: Wait"},
    {"VAn", "VAN", 31, "API: Wait all"},
    {"VHw", "VHW", 32, "Thread: Worker"},
    {"VHd", "VHD", 33, "Thread: Delegate"},
    {"", "", 35, "EV Scheduler: Send task"},
    {"", "", 34, "EV Scheduler: Recv task"},
    {"", "", 36, "EV Scheduler: Self-assign task"},
};

constexpr StateRule idle_states[] = {
    {"VPp", "", 100, "Progressing"},
    {"VPr", "", 101, "Resting"},
    {"VPa", "", 102, "Absorbing noise"},
};

constexpr ChannelSpec channels[] = {
    {.name = "bodyid",
     .duplicates = Duplicates::allowed,
     .prv_type = 15,
     .tracking = Tracking::running,
     .repeats = Repeats::skip_null,
     .title = "nOS-V task body ID"},
    {.name = "taskid",
     .prv_type = 10,
     .tracking = Tracking::running,
     .repeats = Repeats::skip_null,
     .title = "nOS-V task ID"},
    {.name = "task_type",
     .duplicates = Duplicates::allowed,
     .prv_type = 11,
     .tracking = Tracking::running,
     .repeats = Repeats::skip_null,
     .title = "nOS-V task type",
     .labels = Labels::task_types},
    {.name = "appid",
     .duplicates = Duplicates::allowed,
     .prv_type = 12,
     .tracking = Tracking::running,
     .repeats = Repeats::skip_null,
     .title = "nOS-V task AppID"},
    {.name = "subsystem",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 13,
     .tracking = Tracking::active,
     .repeats = Repeats::skip_null,
     .title = "nOS-V subsystem",
     .states = subsystem_states},
    {.name = "rank",
     .duplicates = Duplicates::allowed,
     .prv_type = 14,
     .tracking = Tracking::running,
     .repeats = Repeats::skip_null,
     .title = "nOS-V task MPI rank"},
    {.name = "idle",
     .prv_type = 16,
     .tracking = Tracking::running,
     .repeats = Repeats::skip_null,
     .title = "nOS-V idle state",
     .states = idle_states,
     .initial = 100,
     .cpu_default = 101},
};
static_assert(channels[nosv_channel::bodyid].name == "bodyid");
static_assert(channels[nosv_channel::taskid].name == "taskid");
static_assert(channels[nosv_channel::task_type].name == "task_type");
static_assert(channels[nosv_channel::appid].name == "appid");
static_assert(channels[nosv_channel::subsystem].name == "subsystem");
static_assert(channels[nosv_channel::rank].name == "rank");
static_assert(channels[nosv_channel::idle].name == "idle");

constexpr EventSpec events[] = {
    {"VTc(u32 taskid, u32 typeid)", "makes task %{taskid} of type %{typeid}", Action::hook, defines},
    {"VTC(u32 taskid, u32 typeid)", "makes parallel task %{taskid} of type %{typeid}", Action::hook, defines},
    {"VTx(u32 taskid, u32 bodyid)",
     "runs body %{bodyid} of task %{taskid}",
     Action::hook,
     {.kind = StateKind::run,
      .channel = nosv_channel::subsystem,
      .opposite = "VTp",
      .key_size = 8,
      .kept = 8}},
    {"VTe(u32 taskid, u32 bodyid)",
     "ends body %{bodyid} of task %{taskid}",
     Action::hook,
     {.kind = StateKind::end, .channel = nosv_channel::subsystem, .key_size = 8}},
    {"VTp(u32 taskid, u32 bodyid)",
     "pauses body %{bodyid} of task %{taskid}",
     Action::hook,
     {.kind = StateKind::pause, .channel = nosv_channel::subsystem, .key_size = 8}},
    {"VTr(u32 taskid, u32 bodyid)",
     "goes on with body %{bodyid} of task %{taskid}",
     Action::hook,
     {.kind = StateKind::resume, .channel = nosv_channel::subsystem, .key_size = 8}},
    {"VYc+(u32 typeid, str label)", "defines task type %{typeid}: \"%{label}\"", Action::hook, defines},
    {"VSr", "scheduler: is handed a task", Action::ignore},
    {"VSs", "scheduler: hands a task over", Action::ignore},
    {"VS@", "scheduler: keeps a task", Action::ignore},
    {"VHa", "begin: attach (old, not used)", Action::ignore},
    {"VHA", "end: attach (old, not used)", Action::ignore},
    {"VWC+(i64 value)", "hardware counters, the first is %{value}", Action::hook, stateless},
};

constexpr BreakdownSpec breakdown{.prv_type = 17,
                                  .title = "nOS-V Runtime/Idle/Task breakdown",
                                  .base = nosv_channel::subsystem,
                                  .detail = nosv_channel::task_type,
                                  .idle = nosv_channel::idle,
                                  .detail_at = 11,
                                  .otherwise = 2,
                                  .suitability = BreakdownSpec::Suitability::declared};

using Row = ViewSpec::Row;
using Colors = ViewSpec::Colors;
constexpr ViewSpec views[] = {
    {"nosv/body-id.cfg", "nOS-V task body ID of the RUNNING thread", 15, Row::thread, Colors::gradient},
    {"nosv/subsystem.cfg", "nOS-V subsystem of the ACTIVE thread", 13, Row::thread},
    {"nosv/task-appid.cfg", "nOS-V task AppID of the RUNNING thread", 12, Row::thread, Colors::gradient},
    {"nosv/task-id.cfg", "nOS-V TaskID of the RUNNING thread", 10, Row::thread, Colors::gradient},
    {"nosv/task-rank.cfg", "nOS-V task rank+1 of the RUNNING thread", 14, Row::thread, Colors::gradient},
    {"nosv/task-type.cfg", "nOS-V task type of the RUNNING thread", 11, Row::thread},
    {"nosv/body-id.cfg", "nOS-V task body ID of the RUNNING thread", 15, Row::cpu, Colors::gradient},
    {"nosv/breakdown.cfg", "nOS-V Runtime/Idle/Task breakdown", 17, Row::cpu},
    {"nosv/idle.cfg", "nOS-V idle state of the RUNNING thread", 16, Row::cpu},
    {"nosv/subsystem.cfg", "nOS-V subsystem of the RUNNING thread", 13, Row::cpu},
    {"nosv/task-appid.cfg", "nOS-V task AppID of the RUNNING thread", 12, Row::cpu, Colors::gradient},
    {"nosv/task-id.cfg", "nOS-V TaskID of the RUNNING thread", 10, Row::cpu, Colors::gradient},
    {"nosv/task-rank.cfg", "nOS-V task rank+1 of the RUNNING thread", 14, Row::cpu, Colors::gradient},
    {"nosv/task-type.cfg", "nOS-V task type of the RUNNING thread", 11, Row::cpu},
};

}  // namespace

extern constinit const ModelSpec nosv_model = [] {
    constexpr ModelSpec model{.id = 'V',
                              .name = "nosv",
                              .version = "2.7.0",
                              .guard = Guard::active_on_cpu,
                              .linter_channel = nosv_channel::subsystem,
                              .channels = channels,
                              .events = events,
                              .views = views,
                              .breakdown = &breakdown};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
