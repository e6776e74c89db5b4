// What the controller asks of the writer, and nothing beyond it: tests stand in for it here.
#pragma once

#include <cstdint>

#include "runtime/gate.hpp"

namespace ovni::region::recorder {

// The process begins as the controller says, if it has not begun.
void begin() noexcept;

writer::Stream* own_stream() noexcept;

// As of the gate; without a lock, and not amid anything.
writer::ChangeOutcome change(writer::Recording to, writer::Stream* only, uint64_t* at) noexcept;
writer::ChangeOutcome change_after_others(writer::Recording to, writer::Stream* only, uint64_t* at) noexcept;
// What the thread of that stream has come to.
writer::Recording wanted_of(const writer::Stream& stream) noexcept;
// How threads begin whose streams are still to come.
writer::Recording state_of_new_streams() noexcept;

// The calling thread has interrupted an emission of its own, or a slow way of the library.
bool is_amid() noexcept;

uint64_t clock() noexcept;

// What all threads have recorded is to be written out, whenever that is.
void flush() noexcept;

// Where a flight recorder keeps events back: all threads' are to be written out, whenever that is.
void ask_for_kept_events() noexcept;

// A punctual mark in the stream of the calling thread.
void mark_thread(uint32_t number) noexcept;

}  // namespace ovni::region::recorder
