// Event model `nodes`: the runtime NODES, what a thread does in it.
#include "model/channel_numbers.hpp"
#include "model/well_formed.hpp"

namespace ovni {

namespace {

constexpr StateRule subsystem_states[] = {
    {"DR[", "DR]", 1, "Dependencies: Registering task accesses"},
    {"DU[", "DU]", 2, "Dependencies: Unregistering task accesses"},
    {"DW[", "DW]", 3, "If0: Waiting for an If0 task"},
    {"DI[", "DI]", 4, "If0: Executing an If0 task inline"},
    {"DT[", "DT]", 5, "Taskwait: Taskwait"},
    {"DC[", "DC]", 6, "Add Task: Creating a task"},
    {"DS[", "DS]", 7, "Add Task: Submitting a task"},
    {"DP[", "DP]", 8, "Spawn Function: Spawning a function"},
};

constexpr ChannelSpec channels[] = {
    {.name = "subsystem",
     .kind = ChannelKind::stack,
     .prv_type = 30,
     .tracking = Tracking::active,
     .title = "NODES subsystem",
     .states = subsystem_states},
};
static_assert(channels[nodes_channel::subsystem].name == "subsystem");

using Row = ViewSpec::Row;
constexpr ViewSpec views[] = {
    {"nodes/subsystem.cfg", "NODES subsystem of the ACTIVE thread", 30, Row::thread},
    {"nodes/subsystem.cfg", "NODES subsystem of the RUNNING thread", 30, Row::cpu},
};

}  // namespace

extern constinit const ModelSpec nodes_model = [] {
    constexpr ModelSpec model{.id = 'D',
                              .name = "nodes",
                              .version = "1.0.0",
                              .guard = Guard::running,
                              .linter_channel = nodes_channel::subsystem,
                              .channels = channels,
                              .views = views};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
