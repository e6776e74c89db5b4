// The counter library's hook for borders of calls, regions, marks and waits; null if there is none.
#pragma once

#include <atomic>

#include "ovni/private.h"

namespace ovni::writer {

inline constinit std::atomic<const ovni_private_border_follower*> border_follower{nullptr};

// Call at the last border of the calling thread.
inline void end_counting() {
    if (const auto* follower = border_follower.load(std::memory_order_relaxed)) follower->end();
}

}  // namespace ovni::writer
