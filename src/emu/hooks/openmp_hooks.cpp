// The hooks of what the model `openmp` has beyond the reference: see ovni/openmp_events.h.
#include <span>

#include "emu/dispatch.hpp"
#include "emu/emulator.hpp"
#include "emu/hooks/payload.hpp"
#include "model/channel_numbers.hpp"
#include "ovni/openmp_events.h"

namespace ovni {

namespace {

constexpr char openmp = 'P';

template <Action action>
void further_state(Emulator& emulator, uint32_t t, const EventView& event) {
    auto number = argument<uint16_t>(event, 0);
    uint16_t c = emulator.channel(openmp, openmp_channel::subsystem);
    const ChannelPlan& channel = emulator.plan().channels[c];
    if (number == 0 || number > channel.further.labels.size())
        throw Error(fmt::format("no state of OpenMP has the number {}", number));
    uint32_t place = number - 1u;
    emulator.change(t, c, action, channel.further.first + place);
    if (action == Action::push) emulator.tracker().note_further(channel.first_further + place);
}

// Rows have the channels of regions only if a stream requires the version.
void expect_region_channels(const Emulator& emulator) {
    const Plan& plan = emulator.plan();
    auto last = emulator.channel(openmp, openmp_channel::team_size);
    if (last >= plan.channel_count() || plan.channels[last].name != "openmp.team size")
        throw Error(fmt::format("the event is of version {} of model openmp, which no stream requires",
                                OVNI_OPENMP_VERSION_OF_REGIONS));
}

template <Action action>
void part_of_region(Emulator& emulator, uint32_t t, const EventView& event) {
    expect_region_channels(emulator);
    auto type = argument<uint32_t>(event, 0);
    auto threads = argument<uint32_t>(event, 2 * sizeof type);
    if (threads == 0) throw Error("a team without threads");
    Value label = type == 0 ? Value() : emulator.tasks().gid_of_type(t, openmp, type);
    if (label.is_set)
        emulator.change(t, emulator.channel(openmp, openmp_channel::region), action, label.number);
    emulator.change(t, emulator.channel(openmp, openmp_channel::team_size), action, threads);
}

constexpr Hook openmp_hook_table[] = {
    {"PX[", further_state<Action::push>},
    {"PX]", further_state<Action::pop>},
    {"PR[", part_of_region<Action::push>},
    {"PR]", part_of_region<Action::pop>},
};

}  // namespace

std::span<const Hook> openmp_hooks() {
    return openmp_hook_table;
}

}  // namespace ovni
