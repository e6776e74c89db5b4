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

// True if the calling thread runs a handler of the program that interrupted the writer's work. Threads of the
// library may go on then, such a handler may not.
bool is_amid_of_program() noexcept;

class Delivery {
 public:
    // A function of the program, as in ovni/control.h.
    using Listener = void(void* data, int event, uint32_t thread, int is_broadcast);

    constexpr Delivery() = default;

    // Call before any event.
    void set_up(const ControlSettings& settings, std::optional<uint32_t> rank,
                writer::Recording first) noexcept;
    // `stream`: of the thread that fires; null if it has none. Listeners are called later, by
    // tell_listeners(), when no thread can wait for the caller any more.
    Outcome deliver(const Firing& firing, std::string_view cause, writer::Stream* stream) noexcept;
    // The calling thread has a stream now: events that concerned it alone before take effect.
    void follow_stream(writer::Stream* stream) noexcept;

    Scope scope() const noexcept { return scope_; }
    uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
    bool is_job_scope() const noexcept { return scope_ == Scope::job; }
    JobWish& job() noexcept { return job_; }
    void agree(uint64_t wish) noexcept;

    void tell_listeners(const Firing& firing) noexcept;
    // True if anything has started recording, or wished for it.
    bool has_start() const noexcept { return has_start_.load(std::memory_order_relaxed); }
    // False if there are too many. The main thread may have begun before any code of the program: its default
    // start comes at once then.
    bool add_listener(Listener* listener, void* data) noexcept;
    void start_over_in_child() noexcept;

 private:
    struct Listening {
        Listener* listener = nullptr;
        void* data = nullptr;
    };
    static constexpr size_t most_listeners = 16;

    Outcome take_effect(const Firing& firing, writer::Stream* stream, bool is_default_start,
                        uint64_t& clock) noexcept;
    // The fate of a change that comes during another one.
    enum class Amid : uint8_t { is_ignored, waits };
    Outcome change(writer::Recording to, writer::Stream* only, Amid amid, uint64_t& clock) noexcept;
    Outcome change_own_thread(writer::Recording to, uint64_t& clock) noexcept;

    Scope scope_ = Scope::process;
    std::atomic<uint64_t> count_{0};  // of events
    std::atomic<bool> has_start_{false}, main_has_begun_{false};
    JobWish job_;
    EventLog log_;
    writer::Mutex mutex_;
    std::array<Listening, most_listeners> listeners_{};
    std::atomic<size_t> listener_count_{0};
};

}  // namespace ovni::region
