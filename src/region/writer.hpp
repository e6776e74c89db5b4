// What the controller asks of the writer, and nothing beyond it: tests stand in for it here.
#pragma once

#include <cstdint>

#include "runtime/gate.hpp"

namespace ovni::region::writer {

// The process begins as the controller says, if it has not begun.
void begin() noexcept;

Stream* own_stream() noexcept;

// As of the gate; without a lock, and not amid anything.
ChangeOutcome change(Recording to, Stream* only, uint64_t* at) noexcept;
ChangeOutcome change_after_others(Recording to, Stream* only, uint64_t* at) noexcept;
// What the thread of that stream has come to.
Recording wanted_of(const Stream& stream) noexcept;
// How threads begin whose streams are still to come.
Recording state_of_new_streams() noexcept;

// The calling thread has interrupted an emission of its own, or a slow way of the library.
bool is_amid() noexcept;

uint64_t clock() noexcept;

// What all threads have recorded is to be written out, whenever that is.
void flush() noexcept;

// Where a flight recorder keeps events back: all threads' are to be written out, whenever that is.
void ask_for_kept_events() noexcept;

// A punctual mark in the stream of the calling thread.
void mark_thread(uint32_t number) noexcept;

}  // namespace ovni::region::writer
