// The hooks of those events of the model `mpi` that name a function by its number.
#include <span>

#include "emu/dispatch.hpp"
#include "emu/emulator.hpp"
#include "emu/payload.hpp"
#include "model/channel_numbers.hpp"

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
    if (action == Action::push) emulator.tracker().note_further(channel.first_further + place);
}

constexpr Hook hooks[] = {
    {"MX[", function<Action::push>},
    {"MX]", function<Action::pop>},
};

}  // namespace

std::span<const Hook> mpi_hooks() {
    return hooks;
}

}  // namespace ovni
