// The hits of the calling thread.
#pragma once

#include <cstdint>

#include "code/call_frames.hpp"

namespace ovni::code {

struct OwnHits {
    bool is_reporting = false;  // sites that the report itself hits are not reported
    bool is_confined = false;   // the thread may make no system calls
    uint8_t idle = 0;           // number of hits without an armed alarm
    CallFrames frames;
};
inline constinit thread_local OwnHits own_hits;

class Reporting {
 public:
    Reporting() noexcept : was_(own_hits.is_reporting) { own_hits.is_reporting = true; }
    ~Reporting() { own_hits.is_reporting = was_; }
    Reporting(const Reporting&) = delete;
    Reporting& operator=(const Reporting&) = delete;

 private:
    bool was_;
};

}  // namespace ovni::code
