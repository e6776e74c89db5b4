// One thread beside the program's: timers, and the socket that ovnictl talks to. Where it is not started it
// costs nothing. Its signals are blocked for good, and its descriptors are its own where the system allows
// (Linux 5.9), so what the program does to its own does not reach them; elsewhere they are looked at before
// each use, and made again.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "region/control_server.hpp"
#include "region/deadlines.hpp"
#include "region/waker.hpp"
#include "runtime/guard.hpp"

namespace ovni::region {

// Called in the service's thread, one at a time.
struct ServiceEvents {
    // The deadline of `arm_timer` has come; thread may be all_threads.
    void (*timer)(uint16_t alarm, uint32_t thread) noexcept = nullptr;
    // One request: "fire 2", "start", "stop", "status", "chains", "flush", or anything else in printable
    // letters, without blanks at its ends. The reply is "ok ..." or "err ...".
    void (*command)(std::string_view words, std::string& reply) noexcept = nullptr;
};

class Service {
 public:
    constexpr Service() = default;

    // An empty path: no socket. False, with one line said, where there can be no thread, or no socket: timers
    // run without it.
    bool start(const ServiceEvents& events, const std::string& socket_path) noexcept;

    // From now on; any thread, not in signal handlers. A deadline of the same alarm and thread is replaced,
    // by one for all_threads those of all. There is room for Deadlines::most; what finds none is lost, with
    // one line said. Before start() they wait.
    void arm_timer(uint16_t alarm, uint32_t thread, uint64_t ns) noexcept;

    // Unlinks the socket; waits for the thread, not for ever.
    void stop() noexcept;

    // In a fork's child: the thread is not there, nor are its deadlines. start() may be called again.
    void start_over_in_child() noexcept;

 private:
    enum class State : uint32_t { none, begins, serves, serves_timers, over };

    State state() const noexcept { return static_cast<State>(state_.load(std::memory_order_acquire)); }
    void become(State state) noexcept;
    bool make_thread() noexcept;
    static void* run(void* service) noexcept;
    void settle() noexcept;
    void serve() noexcept;
    uint64_t ring_timers() noexcept;
    void wait(uint64_t until) noexcept;
    bool thread_ends_soon() noexcept;

    ServiceEvents events_;
    std::optional<std::string> path_;  // of the socket; not a plain string: see EventLog::name_
    std::atomic<uint32_t> state_{0};   // of the thread
    std::atomic<bool> is_to_end_{false};
    pthread_t thread_{};
    std::atomic<bool> has_thread_{false};  // nobody has joined it
    int error_ = 0;                        // why there is no socket

    writer::Mutex mutex_;  // of what follows
    pid_t tid_ = 0;        // while the thread can be woken
    Deadlines deadlines_;

    ControlServer server_;  // of the thread
    Waker waker_;           // the same
};

}  // namespace ovni::region
