// Hits of sites whose callers have saved the general registers only: ovni/private.h. Compiled so that no
// others are used.
#include "ovni/private.h"
#include "region/controller.hpp"

using namespace ovni::region;

#pragma GCC visibility push(default)

int ovni_private_count_site(const uint16_t* alarms, size_t count) {
    Running* running = the_controller.value.running();
    if (running == nullptr) return OVNI_PRIVATE_SITE_COUNTED;
    if (ovni::writer::is_inside())
        return ovni::writer::own_thread_state.forks ? OVNI_PRIVATE_SITE_TO_REPORT : OVNI_PRIVATE_SITE_COUNTED;
    if (own_thread.phase != Phase::attached) return OVNI_PRIVATE_SITE_TO_REPORT;
    switch (running->engine().count_quietly(own_thread.thread, {alarms, count})) {
        case Engine::Quiet::counted:
            return OVNI_PRIVATE_SITE_COUNTED;
        case Engine::Quiet::idle:
            return OVNI_PRIVATE_SITE_IDLE;
        case Engine::Quiet::may_fire:
            break;
    }
    return OVNI_PRIVATE_SITE_TO_REPORT;
}

#pragma GCC visibility pop
