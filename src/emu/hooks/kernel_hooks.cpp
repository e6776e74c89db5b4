// The hooks of the model `kernel`: a thread that the kernel took off its CPU emits no events of some models.
#include <span>

#include "emu/dispatch.hpp"
#include "emu/emulator.hpp"
#include "model/channel_numbers.hpp"

namespace ovni {

namespace {

constexpr int64_t out_of_cpu = 3;  // the label is in the model's table

uint16_t context_switch(Emulator& emulator) {
    return emulator.channel('K', kernel_channel::context_switch);
}

void leave_kernel(Emulator& emulator, uint32_t t, const EventView&) {
    emulator.machine().threads[t].set_flag(Condition::out_of_cpu, true);
    emulator.change(t, context_switch(emulator), Action::push, out_of_cpu);
}

void come_back(Emulator& emulator, uint32_t t, const EventView&) {
    emulator.machine().threads[t].set_flag(Condition::out_of_cpu, false);
    emulator.change(t, context_switch(emulator), Action::pop, out_of_cpu);
}

constexpr Hook kernel_hook_table[] = {
    {"KCO", leave_kernel},
    {"KCI", come_back},
};

}  // namespace

std::span<const Hook> kernel_hooks() {
    return kernel_hook_table;
}

}  // namespace ovni
