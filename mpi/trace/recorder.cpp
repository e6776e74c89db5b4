#include "mpi/trace/recorder.hpp"

#include <algorithm>

#include "mpi/trace/keep_errno.hpp"
#include "mpi/trace/pause.hpp"
#include "mpi/trace/regions.hpp"
#include "ovni/emit.hpp"
#include "ovni/mpi_events.h"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

constexpr RegionStack no_regions{};

void show_stack(RegionStack& shown, const RegionStack& wanted, uint64_t at) noexcept {
    uint32_t common = 0;
    while (common < std::min(shown.size, wanted.size) && shown.numbers[common] == wanted.numbers[common])
        ++common;
    while (shown.size > common) {
        int64_t value = region_value(shown.numbers[--shown.size]);
        ovni::emit_at("OM]", at, value, region_mark_type);
    }
    for (; shown.size < wanted.size; ++shown.size) {
        shown.numbers[shown.size] = wanted.numbers[shown.size];
        int64_t value = region_value(shown.numbers[shown.size]);
        ovni::emit_at("OM[", at, value, region_mark_type);
    }
}

// The stream shows `function` and `regions` from the clock `at` on.
void show(Thread& thread, Function function, const RegionStack& regions, uint64_t at) noexcept {
    Function shown = thread.stream.function;
    if (shown != function && shown != Function::none) say_leave(thread, Payload(shown), at);
    show_stack(thread.stream.regions, regions, at);
    if (shown != function && function != Function::none) say_enter(thread, function, Payload(function), at);
    thread.behind = false;
    thread.last = at;
}

void suspend(Thread& thread, uint64_t at) noexcept {
    show(thread, Function::none, no_regions, at);
    thread.suspended = true;
    thread.suspended_at = at;
}

void resume(Thread& thread, uint64_t at, bool ours) noexcept {
    if (!thread.suspended) suspend(thread, thread.last);
    // In a stream of the program, its own events went on.
    if (ours) ovni_private_gap(thread.suspended_at, at, 0, "paused");
    thread.suspended = false;
    label_open_regions(thread);
    show(thread, thread.program.function, thread.program.regions, at);
}

// Shows the changes that the thread has slept through. A stream of the program may hold later events than
// ours, so there only the result counts, from now on.
[[gnu::cold]] void follow_pauses(Thread& thread, uint32_t newest) noexcept {
    bool ours = ovni_private_thread_is_ours() != 0;
    uint32_t unseen = std::min(newest - thread.pause_count, ours ? pauses_kept - 1 : 1);
    for (uint32_t change = newest - unseen + 1; unseen > 0; ++change, --unseen) {
        uint64_t at = ours ? std::max(clock_of_change(change), thread.last) : ovni::now();
        if (is_pause(change) && !thread.suspended) suspend(thread, at);
        if (!is_pause(change) && (ours || thread.suspended)) resume(thread, at, ours);
    }
    thread.pause_count = newest;
}

[[gnu::cold]] void meet_stream(Thread& thread) noexcept {
    ovni_private_require("mpi", OVNI_MPI_VERSION_OF_CODES);
    thread.stream_known = true;
    thread.last = ovni::now();
    if (thread.suspended) thread.suspended_at = thread.last;
}

bool is_open() noexcept {
    const ovni_private_window* window = ovni_private_thread_window;
    return (window && __atomic_load_n(&window->running, __ATOMIC_RELAXED)) || ovni_private_thread_open();
}

void catch_up(Thread& thread, uint64_t at) noexcept {
    label_open_regions(thread);
    show(thread, Function::none, thread.program.regions, at);
}

}  // namespace

void say_cpu(Thread& thread, int cpu) noexcept {
    if (cpu < 0) return;
    thread.cpu = cpu;
    if (ovni_private_thread_is_ours()) ovni_private_move_to_cpu(cpu);
}

bool up_to_date(Thread& thread) noexcept {
    if (!recording.load(std::memory_order_relaxed) || !is_open()) {
        thread.behind = true;
        return false;
    }
    if (!thread.stream_known) [[unlikely]]
        meet_stream(thread);
    uint32_t newest = pause_count.load(std::memory_order_acquire);
    if (newest != thread.pause_count) [[unlikely]]
        follow_pauses(thread, newest);
    return !thread.suspended;
}

void require_newest_version_now(Thread& thread) noexcept {
    ovni_private_require("mpi", OVNI_MPI_VERSION);
    thread.newest_version = true;
}

Moment begin_enter(Thread& thread, Function function, bool wanted) noexcept {
    if (!wanted) return {thread, function, false, 0};
    bool shown = up_to_date(thread);
    thread.program.function = function;
    if (!shown) return {thread, function, false, 0};
    say_cpu(thread);
    uint64_t at = ovni::stream_now();
    if (thread.behind) [[unlikely]]
        catch_up(thread, at);
    return {thread, function, true, at};
}

Moment begin_leave(Thread& thread, Function function, bool wanted) noexcept {
    if (!wanted) return {thread, function, false, 0};
    bool shown = up_to_date(thread);
    thread.program.function = Function::none;
    if (!shown || thread.stream.function != function) return {thread, function, false, 0};
    return {thread, function, true, ovni::stream_now()};
}

void show_regions(Thread& thread) noexcept {
    KeepErrno keep(thread);
    if (!up_to_date(thread)) return;
    label_open_regions(thread);
    show(thread, thread.stream.function, thread.program.regions, ovni::now());
}

void end_thread(Thread& thread) noexcept {
    KeepErrno keep(thread);
    thread.program.regions.size = 0;
    bool nothing_open = thread.stream.regions.size == 0 && !thread.suspended;
    if (!thread.stream_known || (nothing_open && thread.pause_count == pause_count)) return;
    if (up_to_date(thread))
        show(thread, thread.stream.function, no_regions, ovni::now());
    else if (thread.suspended && ovni_private_thread_is_ours())
        ovni_private_gap(thread.suspended_at, UINT64_MAX, 0, "paused");
}

}  // namespace ovni::mpi
