// Writes what a thread does into its stream. Every function is for the calling thread, and does nothing but
// bookkeeping where nothing can be recorded: before MPI_Init, after MPI_Finalize, while recording is off, in
// a thread whose stream is finished.
//
// A thread has two pictures of itself: the MPI function and the regions that the program is in, and those
// that its stream shows as open. While recording is off, or the thread has no running stream, only the first
// changes. The writer calls `follow` when the thread shows a change: it ends all that is open, or begins
// again what the program is in, at the clock of the change. So pushes and pops match in every stream.
//
// Recording may end, and begin again, at any event that is written: then `follow` is called before the event,
// and the event is stored if recording is on after that. So a picture of the thread follows an event when
// that is written, and only if Thread::is_on still says that recording was on.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "mpi/interpose/moment.hpp"
#include "mpi/interpose/payload.hpp"
#include "mpi/interpose/thread.hpp"

namespace ovni::mpi {

// From the call of MPI_Init to the end of MPI_Finalize.
inline std::atomic<bool> recording{false};
// Threads say on which CPU they run: the CPUs of the process are known, and wanted.
inline std::atomic<bool> sampling_cpus{false};

// The thread enters, leaves the function of MPI that the program called: first the moment, which brings the
// stream up to date, then the event with what the details of the call add. A function that is not `wanted`
// has moments in which nothing is recorded.
Moment begin_enter(Thread& thread, Function function, bool wanted) noexcept;
Moment begin_leave(Thread& thread, Function function, bool wanted) noexcept;

// Whether the stream shows the thread as it is, so that nothing stands between a call and its event.
[[gnu::always_inline]] inline bool in_step(const Thread& thread) noexcept {
    const ovni_private_window* window = ovni_private_thread_window;
    if (!window) [[unlikely]]
        return false;
    bool runs = __atomic_load_n(&window->running, __ATOMIC_RELAXED) != 0;
    return runs & recording.load(std::memory_order_relaxed) & thread.stream_known & !thread.behind;
}

// It runs on another CPU than when it last said so, or does not say it.
void say_cpu(Thread& thread, int cpu) noexcept;
[[gnu::always_inline]] inline void say_cpu(Thread& thread) noexcept {
    if (!sampling_cpus.load(std::memory_order_relaxed)) return;
    int cpu = sched_getcpu();
    if (__builtin_expect(cpu != thread.cpu, 0)) say_cpu(thread, cpu);
}

// The same, with the usual case inline. The moment is put together in one place, so that the compiler knows
// its function.
[[gnu::always_inline]] inline Moment begin_enter_here(Thread& thread, Function function,
                                                      bool wanted) noexcept {
    bool recorded = wanted & in_step(thread);
    uint64_t at = 0;
    if (__builtin_expect(recorded, 1)) {
        say_cpu(thread);
        at = ovni::stream_now();
    } else {
        Moment moment = begin_enter(thread, function, wanted);
        recorded = moment.recorded, at = moment.at;
    }
    return {thread, function, recorded, at};
}
[[gnu::always_inline]] inline Moment begin_leave_here(Thread& thread, Function function,
                                                      bool wanted) noexcept {
    bool recorded = wanted & in_step(thread) & (thread.stream.function == function);
    uint64_t at = 0;
    if (__builtin_expect(recorded, 1)) {
        at = ovni::stream_now();
    } else {
        Moment moment = begin_leave(thread, function, wanted);
        recorded = moment.recorded, at = moment.at;
    }
    return {thread, function, recorded, at};
}

[[gnu::always_inline]] inline void say_enter(Thread& thread, Function function, const Payload& payload,
                                             uint64_t at) noexcept {
    if (row_of(function).number != 0) require_newest_version(thread);
    ovni::emit_bits_at(row_of(function).enter, at, payload.bits(), payload.size());
    thread.stream.function = thread.is_on ? function : Function::none;
}
[[gnu::always_inline]] inline void say_leave(Thread& thread, const Payload& payload, uint64_t at) noexcept {
    ovni::emit_bits_at(row_of(thread.stream.function).leave, at, payload.bits(), payload.size());
    thread.stream.function = Function::none;
}

[[gnu::always_inline]] inline void end_enter(const Moment& moment, const Payload& payload) noexcept {
    if (!moment.recorded) return;
    say_enter(moment.thread, moment.function, payload, moment.at);
    moment.thread.program.function = moment.function;
}
[[gnu::always_inline]] inline void end_leave(const Moment& moment, const Payload& payload) noexcept {
    if (!moment.recorded) return;
    say_leave(moment.thread, payload, moment.at);
    moment.thread.program.function = Function::none;
}

// The program's stack of regions changed.
void show_regions(Thread& thread) noexcept;

// Whether the stream shows now what the program does; shows that recording has ended or begun again first.
// Asked before a change of thread.program, because what was open while it was off is part of it.
bool up_to_date(Thread& thread) noexcept;

// Whether definitions can be recorded, which they are while recording is off, too.
bool may_define(Thread& thread) noexcept;

// The thread calls no more MPI: nothing of it stays open in the stream.
void end_thread(Thread& thread) noexcept;

}  // namespace ovni::mpi
