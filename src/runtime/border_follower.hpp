// The one who counts at borders of calls, regions and marks; null if nobody does.
#pragma once

#include <atomic>

#include "ovni/private.h"

namespace ovni::writer {

inline constinit std::atomic<const ovni_private_border_follower*> border_follower{nullptr};

}  // namespace ovni::writer
