// One thread beside the program's: timers, and the socket that ovnictl talks to. Where it is not started it
// costs nothing. Its signals are blocked for good, and its descriptors are its own where the system allows
// (Linux 5.9), so what the program does to its own does not reach them; elsewhere they are asked for before
// each use, and made again.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/guard.hpp"

namespace ovni::region {

// Called in the service's thread, one at a time.
struct ServiceEvents {
    // The deadline of `arm_timer` has come; thread may be all_threads.
    void (*timer)(uint16_t alarm, uint32_t thread) noexcept = nullptr;
    // One request: "fire 2", "start", "stop", "status", "chains", "flush", or anything else, blanks at its
    // ends left out. The reply is "ok ..." or "err ...".
    void (*command)(std::string_view words, std::string& reply) noexcept = nullptr;
};

class Service {
 public:
    constexpr Service() = default;

    // An empty path: no socket. False, with one line said, where there can be no thread, or no socket: timers
    // run without it.
    bool start(const ServiceEvents& events, const std::string& socket_path) noexcept;

    // From now on; any thread, not in signal handlers. A deadline of the same alarm and thread is replaced, by
    // one for all_threads those of all. There is room for most_deadlines; what finds none is lost, with one
    // line said. Before start() it is kept.
    void arm_timer(uint16_t alarm, uint32_t thread, uint64_t ns) noexcept;

    // Unlinks the socket; waits for the thread, not for ever.
    void stop() noexcept;

    // In a fork's child: the thread is not there, nor are its deadlines. start() may be called again.
    void start_over_in_child() noexcept;
};

}  // namespace ovni::region
