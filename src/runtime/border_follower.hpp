// The one who counts at borders of calls, regions, marks and waits; null if nobody does.
#pragma once

#include <atomic>

#include "ovni/private.h"

namespace ovni::writer {

inline constinit std::atomic<const ovni_private_border_follower*> border_follower{nullptr};

// The calling thread has its last border.
inline void end_counting() {
    if (const auto* follower = border_follower.load(std::memory_order_relaxed)) follower->end();
}

}  // namespace ovni::writer
