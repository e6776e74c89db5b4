// The effect of a fired event: recording starts or stops within the scope, the log gets a line, and listeners
// are called.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "region/control_settings.hpp"
#include "region/engine.hpp"
#include "region/event_log.hpp"
#include "region/job_wish.hpp"

namespace ovni::region {

inline constexpr std::string_view default_start_cause = "default start";

// True if the calling thread runs a handler of the program that interrupted the writer's work. The library's
// own threads return false.
bool is_amid_of_program() noexcept;

class Delivery {
 public:
    // A function of the program, as in ovni/control.h.
    using Listener = void(void* data, int event, uint32_t thread, int is_broadcast);

    constexpr Delivery() = default;

    // Call before any event.
    void set_up(const ControlSettings& settings, std::optional<uint32_t> rank,
                writer::Recording first) noexcept;
    // `stream`: of the thread that fires; null if it has none. Call call_listeners() afterwards, when the
    // caller holds nothing that other threads wait for.
    Outcome deliver(const Firing& firing, std::string_view cause, writer::Stream* stream) noexcept;
    // Call when the calling thread has got a stream: earlier events for this thread alone take effect.
    void follow_stream(writer::Stream* stream) noexcept;

    Scope scope() const noexcept { return scope_; }
    uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
    bool is_job_scope() const noexcept { return scope_ == Scope::job; }
    JobWish& job() noexcept { return job_; }
    void agree(uint64_t wish) noexcept;

    void call_listeners(const Firing& firing, std::string_view cause = {}) noexcept;
    // True if an event has started recording, or requested it.
    bool has_start() const noexcept { return has_start_.load(std::memory_order_relaxed); }
    // False if there are too many listeners. The main thread's default start may have fired before any code
    // of the program ran. If that is its last event so far, the listener is called for it right before the
    // next event, never within this call.
    bool add_listener(Listener* listener, void* data) noexcept;
    void start_over_in_child() noexcept;

 private:
    struct Listening {
        Listener* listener = nullptr;
        void* data = nullptr;
    };
    static constexpr size_t most_listeners = 16;
    // The listeners to call for an event: the first `count`. Bits of `after_start`: those to call for the
    // default start first.
    struct Audience {
        size_t count;
        uint32_t after_start;
    };
    Audience audience_of(const Firing& firing, std::string_view cause) noexcept;
    void forget_start_of_main() noexcept;

    Outcome take_effect(const Firing& firing, writer::Stream* stream, bool is_default_start,
                        uint64_t& clock) noexcept;
    // The treatment of a change that comes during another one.
    enum class Amid : uint8_t { is_ignored, waits };
    Outcome change(writer::Recording to, writer::Stream* only, Amid amid, uint64_t& clock) noexcept;
    Outcome change_own_thread(writer::Recording to, uint64_t& clock) noexcept;

    Scope scope_ = Scope::process;
    std::atomic<uint64_t> count_{0};  // of events
    std::atomic<bool> has_start_{false};
    JobWish job_;
    EventLog log_;
    writer::Mutex mutex_;
    std::array<Listening, most_listeners> listeners_{};
    // Call with the mutex held.
    size_t listener_count_ = 0;
    bool main_has_begun_ = false;  // by its default start, and has had no event since
    uint32_t owed_starts_ = 0;     // bits of listeners that came after it
};

}  // namespace ovni::region
