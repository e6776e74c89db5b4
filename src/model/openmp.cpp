// Event model `openmp`: what a thread does in OpenMP: regions, tasks and worksharings. Tasks are handled in
// emu/hooks/task_hooks.cpp; what version 1.3.0 adds (ovni/openmp_events.h) in emu/hooks/openmp_hooks.cpp.
#include "model/channel_numbers.hpp"
#include "model/well_formed.hpp"
#include "ovni/openmp_events.h"

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

// States of version 1.3.0, by OVNI_OPENMP_LOOP and so on.
constexpr std::string_view further_states[] = {
    "Work-distribution: Loop",  "Work-distribution: Workshare",
    "Work-distribution: Scope", "Work-distribution: Masked",
    "Task: Taskloop",           "Barrier: Reduction",
    "Lock: Acquiring",          "Lock: Holding",
    "Ordered: Acquiring",       "Ordered: Section",
    "Atomic: Acquiring",        "Atomic: Section",
};
static_assert(std::size(further_states) == OVNI_OPENMP_STATES);

constexpr std::string_view name_of_state(uint64_t number) {
    return number - 1 < std::size(further_states) ? further_states[number - 1] : std::string_view();
}

constexpr ChannelSpec channels[] = {
    {.name = "subsystem",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 50,
     .tracking = Tracking::active,
     .repeats = Repeats::skip_null,
     .title = "OpenMP subsystem",
     .states = subsystem_states,
     .further = {OVNI_OPENMP_FIRST_VALUE, further_states}},
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
    {.name = "region",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 54,
     .tracking = Tracking::active,
     .repeats = Repeats::skip_null,
     .title = "OpenMP parallel region",
     .labels = Labels::task_types,
     .since = OVNI_OPENMP_VERSION_OF_REGIONS},
    {.name = "team size",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 55,
     .tracking = Tracking::active,
     .repeats = Repeats::skip_null,
     .title = "OpenMP threads of the team",
     .since = OVNI_OPENMP_VERSION_OF_REGIONS},
};
static_assert(channels[openmp_channel::subsystem].name == "subsystem");
static_assert(channels[openmp_channel::label].name == "label");
static_assert(channels[openmp_channel::task_id].name == "task ID");
static_assert(channels[openmp_channel::region].name == "region");
static_assert(channels[openmp_channel::team_size].name == "team size");

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
    {.signature = "PX[(u16 state)",
     .description = "begin: %@{state}",
     .state = {.kind = StateKind::push, .channel = openmp_channel::subsystem, .opposite = "PX]", .kept = 2},
     .name_of = name_of_state},
    {.signature = "PX](u16 state)",
     .description = "end: %@{state}",
     .state = {.kind = StateKind::pop, .channel = openmp_channel::subsystem},
     .name_of = name_of_state},
    {.signature = "PR[(u32 typeid, u32 region, u32 threads, u32 thread)",
     .description = "begins its part of parallel region %{region} with label %{typeid}: it is thread "
                    "%{thread} of %{threads}",
     .state = {.kind = StateKind::push, .channel = openmp_channel::region, .opposite = "PR]", .kept = 16}},
    {.signature = "PR](u32 typeid, u32 region, u32 threads, u32 thread)",
     .description = "ends its part of parallel region %{region} with label %{typeid}",
     .state = {.kind = StateKind::pop, .channel = openmp_channel::region}},
    {"PNa(u32 typeid, u64 address)", "label %{typeid} stands for the code at %llx{address}", Action::ignore,
     defines},
    {"PNp+(u32 typeid, str code)", "code of label %{typeid}: %{code}", Action::ignore, defines},
    {"PNc(u32 taskid, u32 typeid)", "task %{taskid} is made, with label %{typeid}", Action::ignore},
    {"PNd(u32 first, u32 second)", "task %{second} waits for task %{first}", Action::ignore},
    {"PNk(u64 first, u64 count)", "chunk of %{count} iterations from %{first}", Action::ignore},
    {"PNx(u32 flags)", "cancellation, flags 0x%x{flags}", Action::ignore},
};

constexpr BreakdownSpec breakdown{.prv_type = 53,
                                  .title = "OpenMP Runtime/Label breakdown",
                                  .base = openmp_channel::subsystem,
                                  .detail = openmp_channel::label};

using Row = ViewSpec::Row;
constexpr ViewSpec views[] = {
    {"openmp/label.cfg", "OpenMP label of the ACTIVE thread", 51, Row::thread},
    {"openmp/parallel-region.cfg", "OpenMP parallel region of the ACTIVE thread", 54, Row::thread},
    {"openmp/subsystem.cfg", "OpenMP subsystem of the ACTIVE thread", 50, Row::thread},
    {"openmp/task-id.cfg", "OpenMP task id of the ACTIVE thread", 52, Row::thread},
    {"openmp/team-size.cfg", "OpenMP threads of the team of the ACTIVE thread", 55, Row::thread,
     ViewSpec::Colors::gradient},
    {"openmp/breakdown.cfg", "OpenMP Runtime/Label breakdown", 53, Row::cpu},
    {"openmp/label.cfg", "OpenMP label of the RUNNING thread", 51, Row::cpu},
    {"openmp/subsystem.cfg", "OpenMP subsystem of the RUNNING thread", 50, Row::cpu},
    {"openmp/task-id.cfg", "OpenMP task id of the RUNNING thread", 52, Row::cpu},
};

}  // namespace

extern constinit const ModelSpec openmp_model = [] {
    constexpr ModelSpec model{.id = 'P',
                              .name = "openmp",
                              .version = OVNI_OPENMP_VERSION,
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
