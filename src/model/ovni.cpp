// Event model `ovni`: life cycle of threads, affinity, flushes, marks, and the markers of unsorted regions.
// emu/hooks/ovni_hooks.cpp has the effects of its events on threads and CPUs.
#include "model/channel_numbers.hpp"
#include "model/well_formed.hpp"

namespace ovni {

namespace {

constexpr StateRule flush[] = {
    {"", "", 1, "Flushing"},
};

constexpr ChannelSpec channels[] = {
    {.name = "flush",
     .prv_type = 7,
     .tracking = Tracking::any,
     .title = "Flushing ovni buffer",
     .states = flush},
};
static_assert(channels[ovni_channel::flush].name == "flush");

constexpr EventSpec events[] = {
    {"OHC(i32 cpu, u64 tag)", "creates a thread for CPU %{cpu}, tag %#llx{tag}", Action::ignore},
    {"OHx(i32 cpu, i32 tid, u64 tag)",
     "starts to run on CPU %{cpu}, created by thread %{tid}, tag %#llx{tag}", Action::hook, stateless},
    {"OHe", "ends", Action::hook, stateless},
    {"OHp", "pauses", Action::hook, stateless},
    {"OHr", "runs again", Action::hook, stateless},
    {"OHc", "cools down, is about to pause", Action::hook, stateless},
    {"OHw", "warms up, is about to run", Action::hook, stateless},
    {"OAs(i32 cpu)", "moves itself to CPU %{cpu}", Action::hook, stateless},
    {"OAr(i32 cpu, i32 tid)", "moves thread %{tid} to CPU %{cpu}", Action::hook, stateless},
    {"OB.", "probe in a burst, to measure the cost of an event", Action::hook, stateless},
    {"OCn(i32 cpu)", "number of CPUs (old, not used): %{cpu}", Action::hook, stateless},
    {"OF[", "begin: writing out the buffer", Action::hook, stateless},
    {"OF]", "end: writing out the buffer", Action::hook, stateless},
    {"OU[", "begin: events that may be out of order", Action::ignore},
    {"OU]", "end: events that may be out of order", Action::ignore},
    {"OM[(i64 value, i32 type)",
     "mark of type %{type}: push %{value}",
     Action::hook,
     {.kind = StateKind::push,
      .channel = all_marks,
      .opposite = "OM]",
      .key_at = 8,
      .key_size = 4,
      .kept = 12}},
    {"OM](i64 value, i32 type)",
     "mark of type %{type}: pop %{value}",
     Action::hook,
     {.kind = StateKind::pop, .channel = all_marks, .key_at = 8, .key_size = 4}},
    {"OM=(i64 value, i32 type)",
     "mark of type %{type}: set %{value}",
     Action::hook,
     {.kind = StateKind::set, .channel = all_marks, .key_at = 8, .key_size = 4, .kept = 12}},
};

using Row = ViewSpec::Row;
using Colors = ViewSpec::Colors;
constexpr ViewSpec views[] = {
    {"ovni/state.cfg", "State of the thread", 4, Row::thread},
    {"ovni/tid.cfg", "TID of the ACTIVE thread", 2, Row::thread},
    {"ovni/affinity.cfg", "CPU affinity", 6, Row::thread},
    {"ovni/pid.cfg", "PID of the ACTIVE thread", 1, Row::thread},
    {"ovni/flushing.cfg", "Flushing state", 7, Row::thread},
    {"ovni/mark.cfg", "Mark value of the ACTIVE thread", 100, Row::thread},
    {"ovni/pid.cfg", "PID of the RUNNING thread", 1, Row::cpu},
    {"ovni/tid.cfg", "TID of the RUNNING thread", 2, Row::cpu},
    {"ovni/number-running-threads.cfg", "Number of RUNNING threads", 3, Row::cpu, Colors::gradient},
    {"ovni/flushing.cfg", "Flushing state of the RUNNING thread", 7, Row::cpu},
    {"ovni/mark.cfg", "Mark value of the RUNNING thread", 100, Row::cpu},
};

}  // namespace

extern constinit const ModelSpec ovni_model = [] {
    constexpr ModelSpec model{.id = 'O',
                              .name = "ovni",
                              .version = "1.1.0",
                              .guard = Guard::on_cpu,
                              .ignored_category = 'U',
                              .channels = channels,
                              .events = events,
                              .views = views};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
