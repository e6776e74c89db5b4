// The hooks of those events of the model `mpi` that name a function by its number.
#include <span>

#include "emu/dispatch.hpp"
#include "emu/emulator.hpp"
#include "emu/hooks/payload.hpp"
#include "model/channel_numbers.hpp"
#include "model/mpi_event.hpp"

namespace ovni {

namespace {

template <Action action>
void function(Emulator& emulator, uint32_t t, const EventView& event) {
    auto number = argument<uint16_t>(event, 0);
    uint16_t c = emulator.channel('M', mpi_channel::function);
    const ChannelPlan& channel = emulator.plan().channels[c];
    if (number == 0 || number > channel.further.labels.size())
        throw Error(fmt::format("no MPI function has the number {}", number));
    uint32_t place = number - 1u;
    emulator.change(t, c, action, channel.further.first + place);
    emulator.show_call_site(
        t, static_cast<uint16_t>(MpiEvent(event.code, event.payload()).function() - mpi_function_rows),
        action);
    if (action == Action::push) emulator.tracker().note_further(channel.first_further + place);
}

void come_from(Emulator& emulator, uint32_t t, const EventView& event) {
    emulator.call_sites().set_site(t, event.stream, argument<uint32_t>(event, 0));
}

constexpr Hook mpi_hook_table[] = {
    {"MX@", come_from},
    {"MX[", function<Action::push>},
    {"MX]", function<Action::pop>},
};

}  // namespace

std::span<const Hook> mpi_hooks() {
    return mpi_hook_table;
}

}  // namespace ovni
