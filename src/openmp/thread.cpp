#include "openmp/thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/code_place.hpp"
#include "core/wanted_events.hpp"
#include "openmp/region_ends.hpp"
#include "ovni/emit.hpp"
#include "ovni/private.h"

namespace ovni::openmp {

namespace {

std::atomic<uint32_t> last_task{0}, last_region{0}, last_type{0};

uint32_t next(std::atomic<uint32_t>& last) noexcept {
    uint32_t number = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return number != 0 ? number : next(last);
}

bool samples_cpus = true;

// Holds the Thread of each thread. Little thread-local storage may be used, so this uses none.
pthread_key_t own_thread;
bool has_key = false;

void thread_ends(void* thread) noexcept {
    pthread_setspecific(own_thread, thread);
    {
        Report report;
        if (report) report->leave_all();
    }
    pthread_setspecific(own_thread, nullptr);
    static_cast<Thread*>(thread)->~Thread();
    free(thread);
}

[[gnu::constructor]] void set_up() {
    has_key = pthread_key_create(&own_thread, thread_ends) == 0;
    samples_cpus = wants_cpu_samples();
    if (!ovni_private_is_launcher()) ovni_private_introduce_process();
}

Thread* make_thread() noexcept {
    void* memory = has_key ? malloc(sizeof(Thread)) : nullptr;
    if (!memory) return nullptr;
    auto* thread = new (memory) Thread;
    pthread_setspecific(own_thread, thread);
    return thread;
}

}  // namespace

uint32_t next_task() noexcept {
    return next(last_task);
}
uint32_t next_region() noexcept {
    return next(last_region);
}

Thread::~Thread() {
    free(frames_);
    free(types_);
}

Thread* Thread::here() noexcept {
    void* known = has_key ? pthread_getspecific(own_thread) : nullptr;
    return known ? static_cast<Thread*>(known) : make_thread();
}

bool Thread::begin_report() noexcept {
    if (is_reporting_) return false;
    is_reporting_ = true;
    is_past_ = false;
    at_ = ovni::stream_now();
    return true;
}

// True if events can be recorded, or will be when recording goes on.
bool Thread::can_record() noexcept {
    const ovni_private_window* window = ovni_private_thread_window;
    if (window && window == window_ && __atomic_load_n(&window->running, __ATOMIC_RELAXED)) [[likely]]
        return true;
    return begin_stream();
}

[[gnu::noinline]] bool Thread::begin_stream() noexcept {
    // Runtimes that describe themselves, such as OpenMP-V, have events of their own.
    if (ovni_private_program_describes_itself()) return false;
    if (!ovni_private_thread_open() && !ovni_private_thread_defines()) return false;
    const ovni_private_window* window = ovni_private_thread_window;
    if (!window || !window->published) return false;
    // Recording may have gone on or ended just now, with events of its own.
    at_ = std::max(at_, window->last);
    if (window == window_) return true;
    window_ = window;
    required_ = Required::nothing;
    for (uint32_t i = 0; i < size_; ++i) frames_[i].is_shown = false;
    if (types_) memset(types_, 0, (most_places + 1) * sizeof *types_);
    at_ = ovni::now();
    return true;
}

void Thread::require(Required version) noexcept {
    if (required_ >= version) [[likely]]
        return;
    required_ = version;
    ovni_private_require(
        "openmp", version == Required::newest ? OVNI_OPENMP_VERSION : OVNI_OPENMP_VERSION_OF_REFERENCE);
}

uint32_t Thread::find(Family family, uint64_t key) const noexcept {
    for (uint32_t i = size_; i > 0; --i) {
        const Entered& construct = frames_[i - 1].construct;
        if (construct.key == key && row_of(construct.state).family == family) return i - 1;
    }
    return nothing;
}

bool Thread::push(const Frame& frame) noexcept {
    if (size_ == room_) {
        constexpr uint32_t first_room = 64;
        uint32_t room = room_ == 0 ? first_room : 2 * room_;
        auto* frames = static_cast<Frame*>(realloc(static_cast<void*>(frames_), room * sizeof *frames_));
        if (!frames) return false;
        frames_ = frames;
        room_ = room;
    }
    frames_[size_++] = frame;
    return true;
}

void Thread::enter(const Entered& construct) noexcept {
    if (!push({construct, 0, false}) || size_ > most_shown || !can_record()) return;
    show(frames_[size_ - 1]);
}

// The constructs from `first` on end, but for locks that are held; that of `removed` ends in any case.
void Thread::end_from(uint32_t first, uint32_t removed) noexcept {
    auto stays = [&](uint32_t i) {
        return i != removed && row_of(frames_[i].construct.state).family == Family::holding;
    };
    while (first < size_ && stays(first)) ++first;
    for (uint32_t i = size_; i > first; --i) hide(frames_[i - 1]);
    uint32_t kept = first;
    for (uint32_t i = first; i < size_; ++i) {
        if (!stays(i)) continue;
        frames_[kept] = frames_[i];
        if (frames_[kept].is_shown) show(frames_[kept]);
        ++kept;
    }
    size_ = kept;
}

void Thread::leave(Family family, uint64_t key) noexcept {
    uint32_t found = find(family, key);
    if (found != nothing) end_from(found, found);
}

bool Thread::return_to(Family family, uint64_t key) noexcept {
    uint32_t found = find(family, key);
    if (found == nothing) return false;
    uint32_t above = found + 1;
    while (above < size_ && frames_[above].construct.state != State::task) ++above;
    end_from(above, nothing);
    return true;
}

const Entered* Thread::innermost_part() const noexcept {
    for (uint32_t i = size_; i > 0; --i)
        if (frames_[i - 1].construct.state == State::part_of_region) return &frames_[i - 1].construct;
    return nullptr;
}

bool Thread::is_place_of_region(const void* address) const noexcept {
    const Entered* part = innermost_part();
    return part && part->place != 0 && address_of(part->place) == address;
}

const void* Thread::address_of_taskloop() const noexcept {
    const uint32_t found = find(Family::work, static_cast<uint64_t>(Construct::taskloop));
    const CodePlace place = found != nothing ? frames_[found].construct.place : 0;
    return place != 0 ? address_of(place) : nullptr;
}

bool Thread::works_for_another() const noexcept {
    return std::any_of(frames_, frames_ + size_,
                       [](const Frame& frame) { return frame.construct.thread != 0; });
}

const Runtime* Thread::runtime_of_team() const noexcept {
    const Entered* part = innermost_part();
    return part ? part->runtime : nullptr;
}

void Thread::note_region_end() noexcept {
    if (const Entered* part = innermost_part()) note_end_of_region(part->number, at_);
}

void Thread::end_with_region() noexcept {
    const Entered* part = innermost_part();
    const uint64_t end = part ? end_of_region(part->number) : 0;
    if (end == 0 || !can_record()) return;
    const ovni_private_window* window = ovni_private_thread_window;
    const bool is_recorded = __atomic_load_n(&window->running, __ATOMIC_RELAXED) != 0;
    // No two threads get one clock, so that their order is no question.
    if (!is_recorded || end + part->thread >= at_) return;
    at_ = std::max(end + part->thread, window->last);
    is_past_ = true;
}

void Thread::leave_all() noexcept {
    for (; size_ > 0; --size_) hide(frames_[size_ - 1]);
}

// A state and what its construct shows besides.
void Thread::show(Frame& frame) noexcept {
    const Entered& construct = frame.construct;
    require(Required::reference);
    frame.type = type_of(construct.place);
    frame.is_shown = true;
    count(construct.state);
    if (construct.state == State::task && !show_task(frame)) return;
    show_state(construct.state, row_of(construct.state).enter);
    if (shows_label(frame)) ovni::emit_at("PQx", at_, frame.type);
    if (construct.state == State::part_of_region) show_region(frame, "PR[");
}

void Thread::hide(const Frame& frame) noexcept {
    // In another stream than before, nothing is shown.
    const bool is_here = frame.is_shown && can_record();
    if (!is_here || !frame.is_shown) return;
    const Entered& construct = frame.construct;
    count(construct.state);
    if (construct.state == State::part_of_region) show_region(frame, "PR]");
    if (shows_label(frame)) ovni::emit_at("PQe", at_, frame.type);
    show_state(construct.state, row_of(construct.state).leave);
    if (construct.state == State::task) ovni::emit_at("PPe", at_, construct.number);
}

// The use until a clock in the past cannot be separated from the use until now.
void Thread::count(State state) const noexcept {
    if (!row_of(state).is_counted || is_past_) return;
    const ovni_private_border_follower* follower = ovni_private_borders();
    if (!follower) return;
    follower->read();
    follower->emit(at_);
}

bool Thread::shows_label(const Frame& frame) noexcept {
    return frame.type != 0 && row_of(frame.construct.state).family == Family::work;
}

void Thread::show_state(State state, EventCode code) noexcept {
    uint16_t number = row_of(state).number;
    if (number == 0) return ovni::emit_at(code, at_);
    require(Required::newest);
    ovni::emit_at(code, at_, number);
}

void Thread::show_region(const Frame& frame, EventCode code) noexcept {
    require(Required::newest);
    const Entered& part = frame.construct;
    ovni::emit_at(code, at_, frame.type, part.number, part.threads, part.thread);
}

// The body is made right before it runs, in this stream: no clocks of two threads have to agree.
bool Thread::show_task(Frame& frame) noexcept {
    frame.is_shown = frame.type != 0 && ovni_private_thread_open();
    if (!frame.is_shown) return false;
    ovni::emit_at("PPc", at_, frame.construct.number, frame.type);
    ovni::emit_at("PPx", at_, frame.construct.number);
    return true;
}

uint32_t Thread::type_of(CodePlace place) noexcept {
    if (place == 0) return 0;
    if (types_ && types_[place] != 0) [[likely]]
        return types_[place];
    if (!types_) types_ = static_cast<uint32_t*>(calloc(most_places + 1, sizeof *types_));
    if (!types_ || !ovni_private_thread_defines()) return 0;
    types_[place] = next(last_type);
    define(types_[place], place);
    return types_[place];
}

// Labels longer than the emulator takes are cut when they are made.
[[gnu::noinline]] void Thread::define(uint32_t type, CodePlace place) noexcept {
    emit_text("POc", type, label_of(place));
    const void* address = address_of(place);
    if (!address) return;
    require(Required::newest);
    ovni::emit_at("PNa", at_, type, reinterpret_cast<uint64_t>(address));
    if (const char* code = code_of(place); *code != '\0') emit_text("PNp", type, code);
}

[[gnu::noinline]] void Thread::emit_text(EventCode code, uint32_t type, const char* text) noexcept {
    constexpr size_t header = OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE;
    uint8_t event[header + sizeof type + longest_code_place + 1];
    const size_t length = strlen(text) + 1;
    const auto size = static_cast<uint32_t>(sizeof type + length);
    if (header + size > sizeof event) return;
    const uint32_t flags_and_code = (OVNI_FORMAT_JUMBO | (OVNI_FORMAT_JUMBO_SIZE - 1)) | code.bits() << 8;
    memcpy(event, &flags_and_code, sizeof flags_and_code);
    memcpy(event + OVNI_FORMAT_CLOCK_AT, &at_, sizeof at_);
    memcpy(event + OVNI_FORMAT_EVENT_HEADER, &size, sizeof size);
    memcpy(event + header, &type, sizeof type);
    memcpy(event + header + sizeof type, text, length);
    ovni_private_emit(event, static_cast<uint32_t>(header + size));
}

void Thread::record_task_creation(uint32_t task, CodePlace place) noexcept {
    if (!can_record()) return;
    require(Required::newest);
    ovni::emit_at("PNc", at_, task, type_of(place));
}

void Thread::record_dependence(uint32_t first, uint32_t second) noexcept {
    if (!can_record()) return;
    require(Required::newest);
    ovni::emit_at("PNd", at_, first, second);
}

void Thread::record_chunk(uint64_t first, uint64_t count) noexcept {
    if (!can_record()) return;
    require(Required::newest);
    ovni::emit_at("PNk", at_, first, count);
}

void Thread::record_cancellation(uint32_t flags) noexcept {
    if (!can_record()) return;
    require(Required::newest);
    ovni::emit_at("PNx", at_, flags);
}

void Thread::record_spin(bool begins) noexcept {
    if (!can_record()) return;
    require(Required::reference);
    ovni::emit_at(begins ? EventCode("PBs") : EventCode("PBS"), at_);
}

// libovni knows the CPUs of the process only after a while, so the CPU is reported again from time to time.
void Thread::record_cpu() noexcept {
    constexpr uint32_t oldest = 64;
    if (!samples_cpus) return;
    int cpu = sched_getcpu();
    if (cpu == cpu_ && ++cpu_age_ < oldest) [[likely]]
        return;
    cpu_ = cpu;
    cpu_age_ = 0;
    if (cpu < 0 || !can_record() || !ovni_private_thread_is_ours()) return;
    ovni_private_move_to_cpu(cpu);
    at_ = ovni::stream_now();
}

}  // namespace ovni::openmp
