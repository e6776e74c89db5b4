// The progress line of the tools. On a terminal it is overwritten in place, at most five times a second. The
// final lines are always printed.
#pragma once

#include <chrono>
#include <cstdint>

namespace ovni {

// Since the program was loaded.
double seconds_since_start();

class Progress {
 public:
    Progress();
    // Cheap enough to call at every hundredth event: prints only on a terminal, and only if the last line is
    // old.
    void update(uint64_t events, double done);
    void finish(uint64_t events, double done) const;

 private:
    using Time = std::chrono::steady_clock;
    double seconds() const;
    Time::time_point begin_, last_;
    bool terminal_;
};

}  // namespace ovni
