// The OpenMP state of a thread: the constructs that it is in, the innermost last, and what its stream shows
// of them. Even if the runtime's reports are incomplete, each enter event gets its leave event in its stream,
// in the order of a stack:
//
// - an end without a known begin, or without a stream, gives no event;
// - constructs that are still open inside a construct end with it, except for held locks, which are opened
//   again at that clock;
// - a construct that began when nothing could be recorded is not shown, only known.
//
// Events are emitted even while recording is off: libovni follows them, and shows the states when recording
// goes on. Only tasks that begin while it is off are not shown. In a fork's child, and in a stream that is
// opened later, no construct is open at first.
#pragma once

#include <cerrno>
#include <cstdint>

#include "openmp/places.hpp"
#include "openmp/states.hpp"

struct ovni_private_window;

namespace ovni::openmp {

class Runtime;

// A construct that a thread is in. `key` identifies it within its family: the number of the task or region,
// the id of a lock, the kind of a worksharing construct or wait.
struct Entered {
    State state;
    uint64_t key = 0;
    CodePlace place = 0;
    uint32_t number = 0;               // of the region or of the task's body, in the process
    uint32_t threads = 0, thread = 0;  // of State::part_of_region
    const Runtime* runtime = nullptr;  // that made the region; null if unknown
};

class Thread {
 public:
    Thread() = default;
    ~Thread();
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    // The Thread of the calling thread, made at the first call; null without memory.
    static Thread* here() noexcept;

    // Begins a report of the runtime at the present clock; false if it interrupts another report, in a
    // handler.
    bool begin_report() noexcept;
    void end_report() noexcept { is_reporting_ = false; }

    void enter(const Entered& construct) noexcept;
    // Ends the innermost construct of the family with that key, and all inside it.
    void leave(Family family, uint64_t key) noexcept;
    // Ends the tasks inside the innermost such construct, but not the construct's own waits; false if the
    // thread is in no such construct.
    bool return_to(Family family, uint64_t key) noexcept;
    // True if the address is the place of the parallel region that the thread is in.
    bool is_place_of_region(const void* address) const noexcept;
    // The place of the innermost taskloop, null if there is none.
    const void* address_of_taskloop() const noexcept;
    // True if the thread is in a region that another thread made.
    bool works_for_another() const noexcept;
    // The runtime of the innermost region; null if unknown.
    const Runtime* runtime_of_team() const noexcept;
    // Ends all constructs.
    void leave_all() noexcept;

    // Notes that the region of the thread's innermost part ends now, for all threads.
    void note_region_end() noexcept;
    // In some runtimes threads report the end of a region only when the next one begins. If the region of the
    // innermost part has ended, the events of this report get the clock of its end.
    void end_with_region() noexcept;

    // Events that change no state.
    void record_task_creation(uint32_t task, CodePlace place) noexcept;
    void record_dependence(uint32_t first, uint32_t second) noexcept;
    void record_chunk(uint64_t first, uint64_t count) noexcept;
    void record_cancellation(uint32_t flags) noexcept;
    void record_spin(bool begins) noexcept;
    // Records the CPU on which the thread runs.
    void record_cpu() noexcept;

 private:
    struct Frame {
        Entered construct;
        uint32_t type;  // label in the stream, 0: none
        bool is_shown;
    };
    enum class Required : uint8_t { nothing, reference, newest };
    static constexpr uint32_t nothing = UINT32_MAX;
    static constexpr uint32_t most_shown = 400;  // the emulator accepts at most 512

    bool can_record() noexcept;
    bool begin_stream() noexcept;
    void require(Required version) noexcept;
    uint32_t find(Family family, uint64_t key) const noexcept;
    const Entered* innermost_part() const noexcept;
    void end_from(uint32_t first, uint32_t removed) noexcept;
    bool push(const Frame& frame) noexcept;
    void show(Frame& frame) noexcept;
    void hide(const Frame& frame) noexcept;
    bool show_task(Frame& frame) noexcept;
    void count(State state) const noexcept;
    static bool shows_label(const Frame& frame) noexcept;
    void show_region(const Frame& frame, EventCode code) noexcept;
    void show_state(State state, EventCode code) noexcept;
    uint32_t type_of(CodePlace place) noexcept;
    void define(uint32_t type, CodePlace place) noexcept;
    void emit_text(EventCode code, uint32_t type, const char* text) noexcept;

    Frame* frames_ = nullptr;
    uint32_t size_ = 0, room_ = 0;
    uint32_t* types_ = nullptr;  // by place: the label's number in the stream, 0: not defined there
    const ovni_private_window* window_ = nullptr;  // of the stream that shows the frames
    uint64_t at_ = 0;                              // clock of this report
    int cpu_ = -1;
    uint32_t cpu_age_ = 0;
    Required required_ = Required::nothing;
    bool is_reporting_ = false;
    bool is_past_ = false;  // at_ is in the past
};

// Lives during a callback or wrapper in which the thread reports something; keeps errno. False if nothing can
// be reported.
class Report {
 public:
    Report() noexcept : saved_(errno), thread_(Thread::here()) {
        if (thread_ && !thread_->begin_report()) thread_ = nullptr;
    }
    ~Report() {
        if (thread_) thread_->end_report();
        errno = saved_;
    }
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;
    explicit operator bool() const { return thread_ != nullptr; }
    Thread* operator->() const { return thread_; }
    const Thread& thread() const { return *thread_; }

 private:
    int saved_;
    Thread* thread_;
};

// The next number of a task, explicit or implicit, in the process; never 0.
uint32_t next_task() noexcept;
uint32_t next_region() noexcept;

}  // namespace ovni::openmp
