// Event model `openmp`: the OpenMP-V runtime: regions, tasks and worksharings. Tasks are handled in
// emu/task_hooks.cpp.
#include "model/channel_numbers.hpp"
#include "model/well_formed.hpp"

namespace ovni {

namespace {

constexpr StateRule subsystem_states[] = {
    {"PWd", "PWD", 9, "Work-distribution: Distribute"},
    {"PWc", "PWC", 10, "Work-distribution: Dynamic for chunk"},
    {"PWy", "PWY", 11, "Work-distribution: Dynamic for initialization"},
    {"PWs", "PWS", 12, "Work-distribution: Static for chunk"},
    {"PWe", "PWE", 13, "Work-distribution: Section"},
    {"PWi", "PWI", 14, "Work-distribution: Single"},
    {"PTa", "PTA", 15, "Task: Allocation"},
    {"PTc", "PTC", 16, "Task: Check deps"},
    {"PTd", "PTD", 17, "Task: Duplicating"},
    {"PTr", "PTR", 18, "Task: Releasing deps"},
    {"PT[", "PT]", 19, "Task: Running task"},
    {"PTi", "PTI", 20, "Task: Running task if0"},
    {"PTs", "PTS", 21, "Task: Scheduling"},
    {"PTg", "PTG", 22, "Task: Taskgroup"},
    {"PTt", "PTT", 23, "Task: Taskwait"},
    {"PTw", "PTW", 24, "Task: Taskwait deps"},
    {"PTy", "PTY", 25, "Task: Taskyield"},
    {"PIa", "PIA", 6, "Critical: Acquiring"},
    {"PIr", "PIR", 7, "Critical: Releasing"},
    {"PI[", "PI]", 8, "Critical: Section"},
    {"PBf", "PBF", 1, "Barrier: Fork"},
    {"PBj", "PBJ", 2, "Barrier: Join"},
    {"PBb", "PBB", 3, "Barrier: Plain"},
    {"PBt", "PBT", 5, "Barrier: Task"},
    {"", "", 4, "Barrier: Spin wait"},
    {"PA[", "PA]", 26, "Runtime: Attached"},
    {"PCf", "PCF", 27, "Runtime: Fork call"},
    {"PCi", "PCI", 28, "Runtime: Initialization"},
    {"PMi", "PMI", 29, "Runtime: Internal microtask"},
    {"PMu", "PMU", 30, "Runtime: User microtask"},
    {"PH[", "PH]", 31, "Runtime: Worker main loop"},
};

constexpr ChannelSpec channels[] = {
    {.name = "subsystem",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 50,
     .tracking = Tracking::active,
     .repeats = Repeats::skip_null,
     .title = "OpenMP subsystem",
     .states = subsystem_states},
    {.name = "label",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 51,
     .tracking = Tracking::active,
     .repeats = Repeats::skip_null,
     .title = "OpenMP label",
     .labels = Labels::task_types},
    {.name = "task ID",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 52,
     .tracking = Tracking::active,
     .repeats = Repeats::skip_null,
     .title = "OpenMP task ID"},
};
static_assert(channels[openmp_channel::subsystem].name == "subsystem");
static_assert(channels[openmp_channel::label].name == "label");
static_assert(channels[openmp_channel::task_id].name == "task ID");

constexpr EventSpec events[] = {
    {"PBs", "begin: spinning while it waits", Action::ignore},
    {"PBS", "end: spinning while it waits", Action::ignore},
    {"POc+(u32 typeid, str label)", "defines label %{typeid}: \"%{label}\"", Action::hook, defines},
    {"PPc(u32 taskid, u32 typeid)", "makes task %{taskid} with label %{typeid}", Action::hook, defines},
    {"PPx(u32 taskid)",
     "runs task %{taskid}",
     Action::hook,
     {.kind = StateKind::push,
      .channel = openmp_channel::task_id,
      .opposite = "PPe",
      .key_size = 4,
      .kept = 4}},
    {"PPe(u32 taskid)",
     "ends task %{taskid}",
     Action::hook,
     {.kind = StateKind::pop, .channel = openmp_channel::task_id, .key_size = 4}},
    {"PQx(u32 typeid)",
     "begin: worksharing with label %{typeid}",
     Action::hook,
     {.kind = StateKind::push,
      .channel = openmp_channel::label,
      .opposite = "PQe",
      .key_size = 4,
      .kept = 4}},
    {"PQe(u32 typeid)",
     "end: worksharing with label %{typeid}",
     Action::hook,
     {.kind = StateKind::pop, .channel = openmp_channel::label, .key_size = 4}},
};

constexpr BreakdownSpec breakdown{.prv_type = 53,
                                  .title = "OpenMP Runtime/Label breakdown",
                                  .base = openmp_channel::subsystem,
                                  .detail = openmp_channel::label};

using Row = ViewSpec::Row;
constexpr ViewSpec views[] = {
    {"openmp/label.cfg", "OpenMP label of the ACTIVE thread", 51, Row::thread},
    {"openmp/subsystem.cfg", "OpenMP subsystem of the ACTIVE thread", 50, Row::thread},
    {"openmp/task-id.cfg", "OpenMP task id of the ACTIVE thread", 52, Row::thread},
    {"openmp/breakdown.cfg", "OpenMP Runtime/Label breakdown", 53, Row::cpu},
    {"openmp/label.cfg", "OpenMP label of the RUNNING thread", 51, Row::cpu},
    {"openmp/subsystem.cfg", "OpenMP subsystem of the RUNNING thread", 50, Row::cpu},
    {"openmp/task-id.cfg", "OpenMP task id of the RUNNING thread", 52, Row::cpu},
};

}  // namespace

extern constinit const ModelSpec openmp_model = [] {
    constexpr ModelSpec model{.id = 'P',
                              .name = "openmp",
                              .version = "1.2.1",
                              .guard = Guard::running,
                              .linter_channel = openmp_channel::subsystem,
                              .channels = channels,
                              .events = events,
                              .views = views,
                              .breakdown = &breakdown};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
