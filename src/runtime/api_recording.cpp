// Recording on and off, for the project's own libraries (ovni/private.h).
#include <string_view>

#include "ovni/private.h"
#include "runtime/gate.hpp"
#include "runtime/thread.hpp"

#pragma GCC visibility push(default)

using namespace ovni;
using namespace ovni::writer;

void ovni_private_follow_recording(ovni_private_follower* follower) {
    if (is_inside()) return;
    SlowPath slow;
    gate().set_follower(follower);
}

void ovni_private_pause(int to_pause) {
    if (is_inside()) return;
    const Controller* controller = gate().controller();
    if (controller && controller->decides()) return;
    SlowPath slow;
    // Only those who stopped recording start it.
    constexpr std::string_view reason = "paused";
    if (!to_pause && gate().reason() != reason) return;
    gate().change_after_others(to_pause ? Recording::off : Recording::on, nullptr, nullptr, reason.data());
}

#pragma GCC visibility pop
