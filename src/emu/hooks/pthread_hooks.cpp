// The hooks of the model `pthread`: a wait, its object and the holder of that are shown together, and end
// together.
#include <algorithm>
#include <span>

#include "emu/dispatch.hpp"
#include "emu/emulator.hpp"
#include "emu/hooks/payload.hpp"
#include "model/channel_numbers.hpp"
#include "model/pthread_objects.hpp"

namespace ovni {

namespace {

constexpr char pthread = 'H';
constexpr int64_t other_object = 1, unknown_holder = 1;  // the labels are in the model's table

void define(Emulator& emulator, uint32_t t, const EventView& event) {
    PthreadObject object = pthread_object(event.code, jumbo_data(event));
    if (object.number == 0 || emulator.tasks().has_type(t, pthread, object.number)) return;
    emulator.tasks().create_type(t, pthread, object.number, object.label, emulator.tracker().moment());
}

int64_t value_of_object(Emulator& emulator, uint32_t t, uint32_t object) {
    if (!emulator.tasks().has_type(t, pthread, object)) return other_object;
    return emulator.tasks().gid_of_type(t, pthread, object).number;
}

template <int64_t wait>
void enter(Emulator& emulator, uint32_t t, const EventView& event) {
    auto object = argument<uint32_t>(event, 0);
    auto holder = argument<int32_t>(event, sizeof object);
    auto push = [&](uint8_t channel, int64_t value) {
        emulator.change(t, emulator.channel(pthread, channel), Action::push, value);
    };
    push(pthread_channel::wait, wait);
    push(pthread_channel::object, value_of_object(emulator, t, object));
    push(pthread_channel::holder, holder > 0 ? holder : unknown_holder);
}

template <int64_t wait>
void leave_pthread(Emulator& emulator, uint32_t t, const EventView&) {
    emulator.change(t, emulator.channel(pthread, pthread_channel::wait), Action::pop, wait);
    for (uint8_t channel : {pthread_channel::object, pthread_channel::holder}) {
        uint16_t c = emulator.channel(pthread, channel);
        Value top = emulator.machine().channel(t, c).read();
        if (top.is_set) emulator.change(t, c, Action::pop, top.number);
    }
}

constexpr Hook pthread_hook_table[] = {
    {"HM[", enter<1>}, {"HM]", leave_pthread<1>}, {"HR[", enter<2>}, {"HR]", leave_pthread<2>},
    {"HW[", enter<3>}, {"HW]", leave_pthread<3>}, {"HP[", enter<4>}, {"HP]", leave_pthread<4>},
    {"HB[", enter<5>}, {"HB]", leave_pthread<5>}, {"HC[", enter<6>}, {"HC]", leave_pthread<6>},
    {"HJ[", enter<7>}, {"HJ]", leave_pthread<7>}, {"HS[", enter<8>}, {"HS]", leave_pthread<8>},
    {"HO[", enter<9>}, {"HO]", leave_pthread<9>}, {"HMd", define},   {"HRd", define},
    {"HPd", define},   {"HBd", define},           {"HCd", define},   {"HJd", define},
    {"HSd", define},   {"HOd", define},
};

}  // namespace

std::span<const Hook> pthread_hooks() {
    return pthread_hook_table;
}

}  // namespace ovni
