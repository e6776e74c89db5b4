// The clock of all events: CLOCK_MONOTONIC of this node in ns, by code that the tracer and ovnisync share.
//
// A test hook falsifies a node's clock in a known way (ClockCorrection). It is read once from
// OVNI_TEST_CLOCK: "offset:rate:anchor" in ns, parts per 10^9, ns.
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
