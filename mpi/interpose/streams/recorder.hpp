// Writes what a thread does into its stream. All functions act on the calling thread. They only keep track of
// it if nothing can be recorded: before MPI_Init, after MPI_Finalize, while recording is off, in a thread
// whose stream is finished.
//
// A thread has two states: `program`, the MPI function and the regions that the program is in, and `stream`,
// those that its stream shows as open. While recording is off, or the thread has no running stream, only
// `program` changes. When recording changes in a thread, the writer calls `follow`. It closes all that is
// open, or opens again what the program is in, at the clock of the change. So pushes and pops match in every
// stream.
//
// Recording may change at any event that is written. Then `follow` is called before the event, and the event
// is stored if recording is on afterwards. So `stream` is updated only after an event is written, and only if
// Thread::is_on is still set.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "mpi/interpose/streams/call_sites.hpp"
#include "mpi/interpose/streams/moment.hpp"
#include "mpi/interpose/streams/payload.hpp"
#include "mpi/interpose/streams/thread.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

// True from the call of MPI_Init to the end of MPI_Finalize.
inline std::atomic<bool> recording{false};
// True if recording is on and the account is empty, so that the next call is recorded without it: see
// unrecorded.hpp.
inline std::atomic<bool> recording_at_once{false};
inline void set_recording(bool on) noexcept {
    recording.store(on, std::memory_order_relaxed);
    recording_at_once.store(on, std::memory_order_relaxed);
}
// True if threads record the CPU that they run on: wanted, and the CPUs of the process are known.
inline std::atomic<bool> sampling_cpus{false};

// The thread enters or leaves the MPI function that the program called. Make the moment first: it brings the
// stream up to date. Then write the event with the payload from the details. If the function is not `wanted`,
// nothing is recorded at the moment.
Moment begin_enter(Thread& thread, Function function, bool wanted) noexcept;
Moment begin_leave(Thread& thread, Function function, bool wanted) noexcept;

// True if the stream shows the current state of the thread, so that the next event needs no other before it.
[[gnu::always_inline]] inline bool in_step(const Thread& thread) noexcept {
    const ovni_private_window* window = ovni_private_thread_window;
    if (!window) [[unlikely]]
        return false;
    bool runs = __atomic_load_n(&window->running, __ATOMIC_RELAXED) != 0;
    return runs & recording_at_once.load(std::memory_order_relaxed) & thread.stream_known &
           (thread.out_of_step == 0);
}

// Records the CPU of the thread if it has changed.
void record_cpu(Thread& thread, int cpu) noexcept;
[[gnu::always_inline]] inline void record_cpu(Thread& thread) noexcept {
    if (!sampling_cpus.load(std::memory_order_relaxed)) return;
    int cpu = sched_getcpu();
    if (__builtin_expect(cpu != thread.cpu, 0)) record_cpu(thread, cpu);
}

// begin_enter() and begin_leave() with the usual case inline. The moment is made in one expression, so that
// the compiler knows its function.
[[gnu::always_inline]] inline Moment begin_enter_here(Thread& thread, Function function,
                                                      bool wanted) noexcept {
    bool recorded = wanted & in_step(thread);
    uint64_t at = 0;
    if (__builtin_expect(recorded, 1)) {
        record_cpu(thread);
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

[[gnu::always_inline]] inline void emit_enter(Thread& thread, Function function, const Payload& payload,
                                              uint64_t at) noexcept {
    const uint16_t number = row_of(function).number;
    if (number != 0) require_version_of_details(thread);
    if (number >= OVNI_MPI_FIRST_OF_MPI_4) require_version_of_mpi_4(thread);
    record_call_site(thread, function, at);
    ovni::emit_bits_at(row_of(function).enter, at, payload.bits(), payload.size());
    thread.stream.function = thread.is_on ? function : Function::none;
}
[[gnu::always_inline]] inline void emit_leave(Thread& thread, const Payload& payload, uint64_t at) noexcept {
    ovni::emit_bits_at(row_of(thread.stream.function).leave, at, payload.bits(), payload.size());
    thread.stream.function = Function::none;
}

[[gnu::always_inline]] inline void end_enter(const Moment& moment, const Payload& payload) noexcept {
    if (!moment.recorded) return;
    emit_enter(moment.thread, moment.function, payload, moment.at);
    moment.thread.program.function = moment.function;
    // The event follows the changes that were shown while it was written.
    if (moment.thread.out_of_step != 0 && moment.thread.is_on) [[unlikely]]
        moment.thread.out_of_step &= static_cast<uint8_t>(~OutOfStep::torn);
}
[[gnu::always_inline]] inline void end_leave(const Moment& moment, const Payload& payload) noexcept {
    if (!moment.recorded) return;
    emit_leave(moment.thread, payload, moment.at);
    moment.thread.program.function = Function::none;
}

// Call when the program's stack of regions has changed.
void show_regions(Thread& thread) noexcept;

// Shows that recording has ended or begun again. Returns true if the stream then shows what the program does.
// Call before a change of thread.program.
bool up_to_date(Thread& thread) noexcept;

// True if definitions can be recorded; they are recorded even while recording is off.
bool may_define(Thread& thread) noexcept;

// Closes all that is open in the stream. Call when the thread calls MPI no more.
void end_thread(Thread& thread) noexcept;

}  // namespace ovni::mpi
