// All functions of the writer that the controller uses. Tests replace them.
#pragma once

#include <cstdint>

#include "runtime/gate.hpp"

namespace ovni::region::recorder {

// Begins recording in the process, on or off as the controller decides, unless it has begun.
void begin() noexcept;

writer::Stream* own_stream() noexcept;

// The functions of the gate. Call without a lock, and outside of an emission or a slow path.
writer::ChangeOutcome change(writer::Recording to, writer::Stream* only, uint64_t* at) noexcept;
writer::ChangeOutcome change_after_others(writer::Recording to, writer::Stream* only, uint64_t* at) noexcept;
// The state that the thread of that stream is to reach.
writer::Recording wanted_of(const writer::Stream& stream) noexcept;
// The first state of streams that are still to come.
writer::Recording state_of_new_streams() noexcept;

// True if the caller, a handler, interrupted an emission of its thread, or a slow path of the library.
bool is_amid() noexcept;

uint64_t clock() noexcept;

// Requests that all recorded events of all threads are written at some later time.
void flush() noexcept;

// Requests that the events that a flight recorder keeps, of all threads, are written at some later time.
void ask_for_kept_events() noexcept;

// Emits a punctual mark in the stream of the calling thread.
void mark_thread(uint32_t number) noexcept;
// The calling thread is about to create another one.
void expect_thread() noexcept;

}  // namespace ovni::region::recorder
