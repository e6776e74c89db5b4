// One thread of the library in the program, for timers and the control socket of ovnictl. Costs nothing
// unless it is started. Its signals are blocked. It does not keep the process alive. It has its own
// descriptor table if the system allows that (Linux 5.9), so the program cannot close its descriptors; else
// they are checked before each use, and made again.
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
    // A deadline of arm_timer() has come; thread may be all_threads.
    void (*timer)(uint16_t alarm, uint32_t thread) noexcept = nullptr;
    // One request: "fire 2", "start", "stop", "status", "chains", "flush", or any other printable text,
    // without blanks at its ends. The reply is "ok ..." or "err ...".
    void (*command)(std::string_view words, std::string& reply) noexcept = nullptr;
};

class Service {
 public:
    constexpr Service() = default;

    // An empty path: no socket. Returns false, after one message, if the thread or the socket cannot be made;
    // timers run without a socket.
    bool start(const ServiceEvents& events, const std::string& socket_path) noexcept;

    // Sets a deadline, `ns` from now. Any thread, but not in signal handlers. Replaces the deadline of that
    // alarm and thread; one for all_threads replaces those of every thread. There is room for
    // Deadlines::most; further ones are lost, after one message. Deadlines set before start() wait.
    void arm_timer(uint16_t alarm, uint32_t thread, uint64_t ns) noexcept;

    // Unlinks the socket; waits for the thread, at most a second.
    void stop() noexcept;

    // Call in a fork's child, which has neither the thread nor its deadlines. start() may be called again.
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
    std::atomic<bool> has_thread_{false};  // not joined yet
    int error_ = 0;                        // errno, if there is no socket

    writer::Mutex mutex_;  // guards tid_ and deadlines_
    pid_t tid_ = 0;        // while the thread can be woken
    Deadlines deadlines_;

    // Used by the thread only.
    ControlServer server_;
    Waker waker_;
};

}  // namespace ovni::region
