// Event model `nanos6`: tasks and runtime of Nanos6. Tasks are handled in emu/hooks/task_hooks.cpp.
#include "model/channel_numbers.hpp"
#include "model/well_formed.hpp"

namespace ovni {

namespace {

constexpr StateRule subsystem_states[] = {
    {"", "", 2, "Unknown subsystem"},
    {"", "", 1, "Task: Running body"},
    {"6C[", "6C]", 3, "Task: Creating"},
    {"6U[", "6U]", 4, "Task: Submitting"},
    {"6F[", "6F]", 5, "Task: Spawning function"},
    {"6O[", "6O]", 6, "Task: Running task for"},
    {"6S[", "6S]", 9, "Scheduler: Serving tasks"},
    {"6Sa", "6SA", 7, "Scheduler: Adding ready tasks"},
    {"6Sp", "6SP", 8, "Scheduler: Processing ready tasks"},
    {"6Dr", "6DR", 10, "Dependency: Registering"},
    {"6Du", "6DU", 11, "Dependency: Unregistering"},
    {"6Bw", "6BW", 12, "Blocking: Taskwait"},
    {"6Bb", "6BB", 14, "Blocking: Blocking current task"},
    {"6Bu", "6BU", 15, "Blocking: Unblocking remote task"},
    {"6Bf", "6BF", 13, "Blocking: Wait for deadline"},
    {"6Wt", "6WT", 18, "Worker: Handling task"},
    {"6W[", "6W]", 19, "Worker: Looking for work"},
    {"6Ww", "6WW", 20, "Worker: Switching to another thread"},
    {"6Wm", "6WM", 21, "Worker: Migrating CPU"},
    {"6Ws", "6WS", 22, "Worker: Suspending thread"},
    {"6Wr", "6WR", 23, "Worker: Resuming another thread"},
    {"6Wg", "6WG", 24, "Worker: Sponge mode"},
    {"6Ma", "6MA", 16, "Memory: Allocating"},
    {"6Mf", "6MF", 17, "Memory: Freeing"},
    {"", "", 61, "EV Scheduler: Send task"},
    {"", "", 60, "EV Scheduler: Recv task"},
    {"", "", 62, "EV Scheduler: Self-assign task"},
    {"", "", 63, "EV CPU: Becomes idle"},
    {"", "", 64, "EV CPU: Becomes active"},
    {"", "", 65, "EV Worker: Waking another thread"},
};

constexpr StateRule thread_type_states[] = {
    {"6He", "6HE", 4, "External"},
    {"6Hw", "6HW", 3, "Worker"},
    {"6Hl", "6HL", 1, "Leader"},
    {"6Hm", "6HM", 2, "Main"},
};

constexpr StateRule idle_states[] = {
    {"6Pp", "", 100, "Progressing"},
    {"6Pr", "", 101, "Resting"},
    {"6Pa", "", 102, "Absorbing noise"},
};

constexpr ChannelSpec channels[] = {
    {.name = "taskid", .prv_type = 35, .tracking = Tracking::running, .title = "Nanos6 task ID"},
    {.name = "task_type",
     .duplicates = Duplicates::allowed,
     .prv_type = 36,
     .tracking = Tracking::running,
     .repeats = Repeats::write,
     .title = "Nanos6 task type",
     .labels = Labels::task_types},
    {.name = "subsystem",
     .kind = ChannelKind::stack,
     .prv_type = 37,
     .tracking = Tracking::active,
     .title = "Nanos6 subsystem",
     .states = subsystem_states},
    {.name = "rank",
     .duplicates = Duplicates::allowed,
     .prv_type = 38,
     .tracking = Tracking::running,
     .repeats = Repeats::write,
     .title = "Nanos6 task MPI rank"},
    {.name = "thread_type",
     .kind = ChannelKind::stack,
     .prv_type = 39,
     .tracking = Tracking::any,
     .title = "Nanos6 thread type",
     .states = thread_type_states},
    {.name = "idle",
     .prv_type = 40,
     .tracking = Tracking::running,
     .title = "Nanos6 idle state",
     .states = idle_states,
     .initial = 100,
     .cpu_default = 101},
};
static_assert(channels[nanos6_channel::taskid].name == "taskid");
static_assert(channels[nanos6_channel::task_type].name == "task_type");
static_assert(channels[nanos6_channel::subsystem].name == "subsystem");
static_assert(channels[nanos6_channel::rank].name == "rank");
static_assert(channels[nanos6_channel::thread_type].name == "thread_type");
static_assert(channels[nanos6_channel::idle].name == "idle");

constexpr EventSpec events[] = {
    {"6Yc+(u32 typeid, str label)", "defines task type %{typeid}: \"%{label}\"", Action::hook, defines},
    {"6Tc(u32 taskid, u32 typeid)", "makes task %{taskid} of type %{typeid}", Action::hook, defines},
    {"6Tx(u32 taskid)",
     "runs task %{taskid}",
     Action::hook,
     {.kind = StateKind::run,
      .channel = nanos6_channel::subsystem,
      .opposite = "6Tp",
      .key_size = 4,
      .kept = 4}},
    {"6Te(u32 taskid)",
     "ends task %{taskid}",
     Action::hook,
     {.kind = StateKind::end, .channel = nanos6_channel::subsystem, .key_size = 4}},
    {"6Tp(u32 taskid)",
     "pauses task %{taskid}",
     Action::hook,
     {.kind = StateKind::pause, .channel = nanos6_channel::subsystem, .key_size = 4}},
    {"6Tr(u32 taskid)",
     "goes on with task %{taskid}",
     Action::hook,
     {.kind = StateKind::resume, .channel = nanos6_channel::subsystem, .key_size = 4}},
    {"6W*", "wakes another worker", Action::ignore},
    {"6t[", "begin: code of a task", Action::ignore},
    {"6t]", "end: code of a task", Action::ignore},
    {"6S@", "scheduler: keeps a task", Action::ignore},
    {"6Sr", "scheduler: is handed a task", Action::ignore},
    {"6Ss", "scheduler: hands a task over", Action::ignore},
    {"6TC", "task creation (old, not used)", Action::hook, stateless, EventSpec::Listed::no},
};

constexpr BreakdownSpec breakdown{.prv_type = 41,
                                  .title = "Nanos6 Runtime/Idle/Task breakdown",
                                  .base = nanos6_channel::subsystem,
                                  .detail = nanos6_channel::task_type,
                                  .idle = nanos6_channel::idle,
                                  .detail_at = 1,
                                  .otherwise = 2};

using Row = ViewSpec::Row;
using Colors = ViewSpec::Colors;
constexpr ViewSpec views[] = {
    {"nanos6/idle.cfg", "Nanos6 idle state of the RUNNING thread", 40, Row::thread},
    {"nanos6/mpi-rank.cfg", "Nanos6 task MPI rank of the RUNNING thread", 38, Row::thread},
    {"nanos6/subsystem.cfg", "Nanos6 subsystem of the ACTIVE thread", 37, Row::thread},
    {"nanos6/task-id.cfg", "Nanos6 task ID of the RUNNING thread", 35, Row::thread, Colors::gradient},
    {"nanos6/task-type.cfg", "Nanos6 task type of the RUNNING thread", 36, Row::thread},
    {"nanos6/thread-type.cfg", "Nanos6 thread type of the CURRENT thread", 39, Row::thread},
    {"nanos6/breakdown.cfg", "Nanos6 Runtime/Idle/Task breakdown", 41, Row::cpu},
    {"nanos6/idle.cfg", "Nanos6 idle state of the RUNNING thread", 40, Row::cpu},
    {"nanos6/mpi-rank.cfg", "Nanos6 task MPI rank of the RUNNING thread", 38, Row::cpu},
    {"nanos6/subsystem.cfg", "Nanos6 subsystem of the RUNNING thread", 37, Row::cpu},
    {"nanos6/task-id.cfg", "Nanos6 task ID of the RUNNING thread", 35, Row::cpu, Colors::gradient},
    {"nanos6/task-type.cfg", "Nanos6 task type of the RUNNING thread", 36, Row::cpu},
    {"nanos6/thread-type.cfg", "Nanos6 thread type of the RUNNING thread", 39, Row::cpu},
};

}  // namespace

extern constinit const ModelSpec nanos6_model = [] {
    constexpr ModelSpec model{.id = '6',
                              .name = "nanos6",
                              .version = "1.1.0",
                              .guard = Guard::active,
                              .linter_channel = nanos6_channel::subsystem,
                              .channels = channels,
                              .events = events,
                              .views = views,
                              .breakdown = &breakdown};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
