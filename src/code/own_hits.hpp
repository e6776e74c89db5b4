// The hits of the calling thread.
#pragma once

#include <cstdint>

#include "code/call_frames.hpp"

namespace ovni::code {

struct OwnHits {
    bool is_reporting = false;  // sites that the report itself comes to are not reported
    uint8_t idle = 0;           // hits at which nothing was armed
    CallFrames frames;
};
inline constinit thread_local OwnHits own_hits;

}  // namespace ovni::code
