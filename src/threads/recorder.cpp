#include "threads/recorder.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "core/code_place.hpp"
#include "core/keep_errno.hpp"
#include "core/wanted_events.hpp"
#include "ovni.h"
#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "ovni/pthread_events.h"
#include "threads/caller_image.hpp"
#include "threads/object_names.hpp"
#include "threads/objects.hpp"

namespace ovni::threads {

namespace {

struct Codes {
    EventCode enter, leave, define;
};
// In the order of State.
constexpr Codes codes[] = {
    {"HM[", "HM]", "HMd"}, {"HR[", "HR]", "HRd"}, {"HW[", "HW]", "HRd"},
    {"HP[", "HP]", "HPd"}, {"HB[", "HB]", "HBd"}, {"HC[", "HC]", "HCd"},
    {"HJ[", "HJ]", "HJd"}, {"HS[", "HS]", "HSd"}, {"HO[", "HO]", "HOd"},
};
const Codes& codes_of(State state) {
    return codes[static_cast<unsigned>(state)];
}

// The recorder is at work. A handler that interrupts it records nothing; one that jumped out of it has ended
// it.
class AtWork {
 public:
    AtWork(OwnThread* thread, uintptr_t frame) noexcept : thread_(thread) {
        if (!thread || (thread->inside != 0 && thread->inside > frame)) return;
        thread->inside = frame;
        begun_ = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    ~AtWork() {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (begun_) thread_->inside = 0;
    }
    explicit operator bool() const noexcept { return begun_; }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

 private:
    KeepErrno errno_;
    OwnThread* thread_;
    bool begun_ = false;
};

bool is_running() noexcept {
    const ovni_private_window* window = ovni_private_thread_window;
    return window &&
           (__atomic_load_n(&window->running, __ATOMIC_RELAXED) != 0 || ovni_private_thread_defines());
}

// A thread of a fork's child gets its stream with its first event.
void begin_in_child() noexcept {
    uint8_t event[OVNI_FORMAT_EVENT_MAX];
    detail::store_event(event, "HTf", now());
    ovni_private_emit(event, detail::event_size());
}

// A child of fork(), or of a raw clone() that libovni has noticed, has a stream of its own.
void follow_fork(OwnThread& thread) noexcept {
    static constinit std::atomic<uint32_t> followed{0};
    const uint32_t depth = ovni_private_fork_depth();
    if (followed.exchange(depth) != depth) forget_runs();
    thread.follow_fork(depth);
}

// Programs that describe themselves are recorded only then, in the threads that they show.
bool is_asked_for = false;

// Gives the thread a stream if it has none, which allocates memory of the program: `caller` is null where no
// code of the program can be allocating. False if none records it.
bool has_stream(OwnThread& thread, const void* caller) noexcept {
    if (!ovni_private_thread_window && caller && may_be_allocator(caller)) return false;
    if (ovni_private_program_describes_itself() && !(is_asked_for && is_running())) return false;
    if (!is_running() && !ovni_private_thread_open()) {
        if (!is_running() && ovni_private_fork_depth() > 0) begin_in_child();
        if (!is_running()) return false;
    }
    follow_fork(thread);
    if (!thread.has_required) ovni_private_require(OVNI_PTHREAD_MODEL, OVNI_PTHREAD_VERSION);
    thread.has_required = true;
    return true;
}

void define(const Wait& wait, uint32_t number, uint64_t clock) noexcept {
    struct Definition {
        uint32_t number;
        uint32_t address[2];
        char name[longest_name + 1];
    } definition;
    definition.number = number;
    memcpy(definition.address, &wait.address, sizeof definition.address);
    size_t size = wait.state == State::join
                      ? name_thread(wait.address, holder_of(wait.state, wait.object), definition.name)
                      : name_object(wait.object, definition.name);
    ovni_ev event{};
    const std::array<char, 4> code = codes_of(wait.state).define.text();
    ovni_ev_set_mcv(&event, code.data());
    ovni_ev_set_clock(&event, clock);
    ovni_ev_jumbo_emit(&event, reinterpret_cast<const uint8_t*>(&definition),
                       static_cast<uint32_t>(offsetof(Definition, name) + size + 1));
}

// Readers find the line of the code.
void describe_code(const Wait& wait, uint32_t number, uint64_t clock) noexcept {
    struct Description {
        uint32_t number;
        char place[longest_code_place + 1];
    } description;
    description.number = number;
    const size_t size = write_caller(wait.caller, description.place);
    if (size == 0) return;
    ovni_ev event{};
    ovni_ev_set_mcv(&event, "HNp");
    ovni_ev_set_clock(&event, clock);
    ovni_ev_jumbo_emit(&event, reinterpret_cast<const uint8_t*>(&description),
                       static_cast<uint32_t>(offsetof(Description, place) + size + 1));
}

uint32_t defined_number(OwnThread& thread, const Wait& wait, uint64_t clock) noexcept {
    uint32_t number = number_of(wait.state, wait.object);
    uint32_t& remembered = thread.defined[number % OwnThread::remembered];
    if (number == 0 || remembered == number) return number;
    define(wait, number, clock);
    if (thread.describes(number)) describe_code(wait, number, clock);
    return remembered = number;
}

void close_top(OwnThread& thread, uint64_t clock, int32_t error) noexcept {
    const OpenState open = thread.open[--thread.depth];
    ovni::emit_at(codes_of(open.state).leave, clock, open.object, open.holder, error);
}

void close_left(OwnThread& thread, uintptr_t frame, uint64_t clock) noexcept {
    while (thread.depth > 0 && thread.open[thread.depth - 1].frame < frame)
        close_top(thread, clock, ECANCELED);
}

// The ends of a wait are borders of what its thread uses.
void count_until(uint64_t clock) noexcept {
    if (const ovni_private_border_follower* follower = ovni_private_borders()) follower->count(clock);
}

Mode chosen_mode() noexcept {
    constexpr const char* names[] = {"off", "contended", "all"};
    const char* word = secure_getenv("OVNI_PTHREAD");
    for (unsigned i = 0; word && i < std::size(names); ++i)
        if (strcmp(word, names[i]) == 0) return static_cast<Mode>(i);
    return wants_reference_events() ? Mode::off : Mode::contended;
}

void start_over_in_child() {
    if (OwnThread* thread = own_thread()) follow_fork(*thread);
}

[[gnu::constructor]] void begin_recording() {
    pthread_atfork(nullptr, nullptr, start_over_in_child);
    mode.store(chosen_mode(), std::memory_order_relaxed);
    is_asked_for = secure_getenv("OVNI_PTHREAD") != nullptr;
}

}  // namespace

bool begin_wait(Wait& wait) noexcept {
    if (!records_waits() || is_left_out(wait.caller)) return false;
    OwnThread* thread = own_thread_made();
    AtWork at_work(thread, wait.frame);
    if (!at_work || !has_stream(*thread, wait.caller) || thread->depth == OwnThread::deepest) return false;
    const uint64_t clock = ovni::stream_now();
    close_left(*thread, wait.frame, clock);
    OpenState open{wait.frame, wait.state, 0, holder_of(wait.state, wait.object)};
    open.object = defined_number(*thread, wait, clock);
    count_until(clock);
    ovni::emit_at(codes_of(wait.state).enter, clock, open.object, open.holder);
    wait.place = thread->depth;
    thread->open[thread->depth++] = open;
    return true;
}

void end_wait(const Wait& wait, int error) noexcept {
    OwnThread* thread = own_thread();
    AtWork at_work(thread, wait.frame);
    if (at_work) follow_fork(*thread);
    if (!at_work || wait.place >= thread->depth || thread->open[wait.place].frame != wait.frame) return;
    if (!is_running()) {
        thread->depth = wait.place;
        return;
    }
    const uint64_t clock = ovni::stream_now();
    count_until(clock);
    while (thread->depth > wait.place + 1) close_top(*thread, clock, ECANCELED);
    close_top(*thread, clock, error == not_returned ? ECANCELED : error);
}

void record_instant(EventCode event, const Wait& about, int error) noexcept {
    if (is_left_out(about.caller)) return;
    OwnThread* thread = own_thread_made();
    AtWork at_work(thread, about.frame);
    if (!at_work || !has_stream(*thread, about.caller)) return;
    const uint64_t clock = ovni::stream_now();
    close_left(*thread, about.frame, clock);
    uint32_t object = defined_number(*thread, about, clock);
    ovni::emit_at(event, clock, object, int32_t{error});
}

void record_of_thread(EventCode event, uint64_t number, const void* caller, Allocating allocating) noexcept {
    if (mode.load(std::memory_order_relaxed) == Mode::off || is_left_out(caller)) return;
    OwnThread* thread = own_thread_made();
    AtWork at_work(thread, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
    const void* allocator = allocating == Allocating::maybe ? caller : nullptr;
    if (!at_work || !has_stream(*thread, allocator)) return;
    ovni::emit(event, number);
}

void thread_ends(OwnThread& thread) noexcept {
    follow_fork(thread);
    if (thread.depth == 0 || !is_running()) return;
    const KeepErrno keep;
    const uint64_t clock = ovni::stream_now();
    while (thread.depth > 0) close_top(thread, clock, ECANCELED);
}

}  // namespace ovni::threads
