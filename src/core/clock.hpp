// The clock of everything that is recorded: CLOCK_MONOTONIC of this node in ns, through one object that the
// tracer and ovnisync share.
//
// A test hook gives a node a clock that is wrong in a known way (ClockCorrection). It is read once, from
// OVNI_TEST_CLOCK, which holds "offset:rate:anchor" in ns, parts per 10^9, ns.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "ovni/tsc_clock.hpp"

namespace ovni {

struct ClockHook : ClockCorrection {
    static ClockHook from_environment() noexcept {
        ClockHook hook;
        const char* text = secure_getenv("OVNI_TEST_CLOCK");
        if (!text) return hook;
        int64_t* fields[] = {&hook.offset_ns, &hook.rate_ppb, &hook.anchor_ns};
        for (int64_t* field : fields) {
            char* end = nullptr;
            *field = std::strtoll(text, &end, 10);
            if (*end != ':') break;
            text = end + 1;
        }
        return hook;
    }
};

inline int64_t monotonic_ns() noexcept {
    return HostClocks::monotonic_ns();
}

class Clock {
 public:
    explicit Clock(ClockHook hook = ClockHook::from_environment()) noexcept
        : hook_(hook), hooked_(hook.is_set()) {}
    int64_t now() const noexcept {
        int64_t t = monotonic_ns();
        return hooked_ ? hook_.apply(t) : t;
    }

 private:
    ClockHook hook_;
    bool hooked_;
};

}  // namespace ovni
