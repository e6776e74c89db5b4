// The functions that ovni/control.h looks for.
#include "ovni/control.h"
#include "region/controller.hpp"

#pragma GCC visibility push(default)

namespace region = ovni::region;
using region::controller;
using region::Event;

extern "C" int ovni_control_fire_event(int event, uint32_t tid, int bcast) {
    static_assert(static_cast<int>(Event::start) == OVNI_CONTROL_START &&
                  static_cast<int>(Event::stop) == OVNI_CONTROL_STOP &&
                  static_cast<int>(Event::thread_id) == OVNI_CONTROL_THREADID);
    static_assert(OVNI_CONTROL_THIS_THREAD == region::all_threads);
    if (event < OVNI_CONTROL_START || event > OVNI_CONTROL_THREADID || ovni::writer::is_second_copy) return 0;
    return controller().fire(static_cast<Event>(event), tid, bcast != 0);
}

extern "C" int ovni_control_fire_event_at(int event, const ovni_control_registers* context,
                                          const void* address, uint32_t tid, int bcast) {
    region::FiredAt at{context, reinterpret_cast<uintptr_t>(address)};
    if (at.address == 0 && context) at.address = context->rip;
    const region::FiringAt place(at);
    return ovni_control_fire_event(event, tid, bcast);
}

extern "C" const ovni_control_registers* ovni_control_get_registers(void) {
    return region::fired_at().registers;
}

extern "C" const void* ovni_control_get_address(void) {
    return reinterpret_cast<const void*>(region::fired_at().address);
}

extern "C" int ovni_control_add_listener(ovni_control_listener* listener, void* data) {
    return listener && !ovni::writer::is_inside() && controller().delivery().add_listener(listener, data);
}

#pragma GCC visibility pop
