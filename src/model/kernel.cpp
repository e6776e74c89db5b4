// Event model `kernel`: when the kernel takes a thread off its CPU. emu/hooks/kernel_hooks.cpp has the events
// that it forbids.
#include "model/channel_numbers.hpp"
#include "model/well_formed.hpp"

namespace ovni {

namespace {

constexpr StateRule context_switch_states[] = {
    {"", "", 3, "Context switch: Out of the CPU"},
};

constexpr ChannelSpec channels[] = {
    {.name = "context_switch",
     .kind = ChannelKind::stack,
     .prv_type = 45,
     .tracking = Tracking::any,
     .title = "Kernel context switch",
     .states = context_switch_states},
};
static_assert(channels[kernel_channel::context_switch].name == "context_switch");

constexpr EventSpec events[] = {
    {"KCO",
     "leaves its CPU: the kernel runs something else",
     Action::hook,
     {.kind = StateKind::push, .channel = kernel_channel::context_switch, .opposite = "KCI"}},
    {"KCI",
     "is back on its CPU",
     Action::hook,
     {.kind = StateKind::pop, .channel = kernel_channel::context_switch}},
};

using Row = ViewSpec::Row;
constexpr ViewSpec views[] = {
    {"kernel/context-switch.cfg", "Context switches of the CURRENT thread", 45, Row::thread},
    {"kernel/context-switch.cfg", "Context switches of the RUNNING thread", 45, Row::cpu},
};

}  // namespace

extern constinit const ModelSpec kernel_model = [] {
    constexpr ModelSpec model{.id = 'K',
                              .name = "kernel",
                              .version = "1.0.0",
                              .guard = Guard::none,
                              .channels = channels,
                              .events = events,
                              .views = views};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
