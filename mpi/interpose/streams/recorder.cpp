#include "mpi/interpose/streams/recorder.hpp"

#include <pthread.h>

#include <algorithm>

#include "mpi/interpose/books/unrecorded.hpp"
#include "mpi/interpose/streams/counted.hpp"
#include "mpi/interpose/streams/keep_errno.hpp"
#include "mpi/interpose/streams/regions.hpp"
#include "ovni/emit.hpp"
#include "ovni/mpi_events.h"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

constexpr States nothing{};
// Recording has ended or begun in some thread.
std::atomic<bool> has_paused{false};

void show_regions_as(Thread& thread, const RegionStack& wanted, uint64_t at) noexcept {
    RegionStack& shown = thread.stream.regions;
    uint32_t common = 0;
    while (common < std::min(shown.size, wanted.size) && shown.numbers[common] == wanted.numbers[common])
        ++common;
    while (thread.is_on && shown.size > common) {
        int64_t value = region_value(shown.numbers[shown.size - 1]);
        ovni::emit_at("OM]", at, value, region_mark_type);
        if (thread.is_on) --shown.size;
    }
    while (thread.is_on && shown.size < wanted.size) {
        RegionNumber number = wanted.numbers[shown.size];
        ovni::emit_at("OM[", at, int64_t{region_value(number)}, region_mark_type);
        if (thread.is_on) shown.numbers[shown.size++] = number;
    }
}

// A visit has ended while recording was off, and its region is open anew: the stream shows that end, for two
// visits are not one that goes on.
void show_ended_visits(Thread& thread, uint64_t at) noexcept {
    const RegionStack &open = thread.program.regions, &before = thread.cut.regions;
    auto has = [](const RegionStack& stack, uint32_t size, RegionNumber number) {
        return std::find(stack.numbers, stack.numbers + size, number) != stack.numbers + size;
    };
    for (uint32_t i = 0; i < open.size; ++i) {
        RegionStack ended;
        ended.numbers[ended.size++] = open.numbers[i];
        // Inside of itself a region is visited once.
        if (!thread.opened_unseen[i] || has(open, i, open.numbers[i])) continue;
        if (!has(before, before.size, open.numbers[i])) continue;
        show_regions_as(thread, ended, at);
        show_regions_as(thread, nothing.regions, at);
    }
}

// The stream shows `function` and `regions` from the clock `at` on.
void show(Thread& thread, Function function, const RegionStack& regions, uint64_t at) noexcept {
    Function shown = thread.stream.function;
    if (shown != function && shown != Function::none) emit_leave(thread, Payload(shown), at);
    show_regions_as(thread, regions, at);
    if (shown != function && function != Function::none) emit_enter(thread, function, Payload(function), at);
    thread.out_of_step &= static_cast<uint8_t>(~OutOfStep::behind);
}

// show() outside of `follow`, which may come between any two events of it, and then goes on from what was
// shown before.
void show_amid(Thread& thread, Function function, const RegionStack& regions, uint64_t at) noexcept {
    thread.is_changing = true;
    show(thread, function, regions, at);
    thread.is_changing = false;
}

[[gnu::cold]] void begin_stream(Thread& thread) noexcept {
    ovni_private_require("mpi", OVNI_MPI_VERSION_OF_CODES);
    thread.stream_known = true;
    streams_know_mpi.store(true, std::memory_order_relaxed);
    if (has_paused.load(std::memory_order_relaxed)) require_version_of_pauses(thread);
}

bool is_open() noexcept {
    const ovni_private_window* window = ovni_private_thread_window;
    return (window && __atomic_load_n(&window->running, __ATOMIC_RELAXED)) || ovni_private_thread_open();
}

void catch_up(Thread& thread, uint64_t at) noexcept {
    label_open_regions(thread);
    show_amid(thread, Function::none, thread.program.regions, at);
}

// Shows in the stream that recording has ended or begins again. A stream without events of ours, which still
// needs none, stays as it is.
void follow(int on, uint64_t at) noexcept {
    has_paused.store(true, std::memory_order_relaxed);
    Thread* thread = own_thread;
    if (!thread) return;
    KeepErrno keep(*thread);
    thread->out_of_step |= OutOfStep::torn;
    if (thread->stream_known) require_version_of_pauses(*thread);
    if (!on) {
        thread->cut = thread->stream;
        thread->opened_unseen.reset();
        show(*thread, Function::none, nothing.regions, at);
        thread->is_on = false;
        return;
    }
    thread->is_on = true;
    forget_call_sites(*thread);
    const States& open = thread->is_changing ? thread->cut : thread->program;
    if (open.function == Function::none && open.regions.size == 0) return;
    if (!thread->stream_known) begin_stream(*thread);
    label_open_regions(*thread);
    if (!thread->is_changing) show_ended_visits(*thread, at);
    show(*thread, open.function, open.regions, at);
}

// A fork's child is no rank. It may call MPI_Init if its parent has not.
void rest_in_child() {
    set_recording(false);
}

[[gnu::constructor]] void follow_recording() {
    pthread_atfork(nullptr, nullptr, rest_in_child);
    ovni_private_follow_recording([](int on, uint64_t at) { follow(on, at); });
}

}  // namespace

void record_cpu(Thread& thread, int cpu) noexcept {
    if (cpu < 0) return;
    thread.cpu = cpu;
    if (ovni_private_thread_is_ours()) ovni_private_move_to_cpu(cpu);
}

bool up_to_date(Thread& thread) noexcept {
    if (!recording.load(std::memory_order_relaxed) || !is_open()) {
        thread.out_of_step |= OutOfStep::behind;
        return false;
    }
    if (!thread.stream_known) [[unlikely]]
        begin_stream(thread);
    thread.is_on = true;
    return true;
}

bool may_define(Thread& thread) noexcept {
    return up_to_date(thread) || (recording.load(std::memory_order_relaxed) && ovni_private_thread_defines());
}

void require_version_of_details_now(Thread& thread) noexcept {
    ovni_private_require("mpi", OVNI_MPI_VERSION_OF_DETAILS);
    thread.has_details = true;
}

void require_version_of_mpi_4_now(Thread& thread) noexcept {
    ovni_private_require("mpi", OVNI_MPI_VERSION_OF_MPI_4);
    thread.has_details = thread.has_mpi_4 = true;
}

Moment begin_enter(Thread& thread, Function function, bool wanted) noexcept {
    if (!wanted) return {thread, function, false, 0};
    if (!up_to_date(thread)) {
        thread.program.function = function;
        return {thread, function, false, 0};
    }
    record_cpu(thread);
    Moment moment{thread, function, true, ovni::stream_now()};
    if (has_account.load(std::memory_order_acquire)) record_account(moment);
    // Another thread has recorded the account of this thread's unrecorded calls.
    if (thread.out_of_step != 0) [[unlikely]]
        while (moment.at <= accounted_until.load(std::memory_order_relaxed)) moment.at = ovni::stream_now();
    thread.out_of_step &= static_cast<uint8_t>(~OutOfStep::torn);
    if (thread.out_of_step != 0) [[unlikely]]
        catch_up(thread, moment.at);
    return moment;
}

Moment begin_leave(Thread& thread, Function function, bool wanted) noexcept {
    if (!wanted) return {thread, function, false, 0};
    if (!up_to_date(thread) || thread.stream.function != function) {
        thread.program.function = Function::none;
        return {thread, function, false, 0};
    }
    return {thread, function, true, ovni::stream_now()};
}

void show_regions(Thread& thread) noexcept {
    KeepErrno keep(thread);
    if (!up_to_date(thread)) return;
    label_open_regions(thread);
    read_counters();
    const uint64_t at = ovni::now();
    emit_counters(at);
    show_amid(thread, thread.stream.function, thread.program.regions, at);
}

void end_thread(Thread& thread) noexcept {
    KeepErrno keep(thread);
    thread.program.regions.size = 0;
    if (!thread.stream_known || thread.stream.regions.size == 0) return;
    if (up_to_date(thread)) show_amid(thread, thread.stream.function, nothing.regions, ovni::now());
}

}  // namespace ovni::mpi
