// Numbers of the objects that threads wait for, by kind and address, and the thread that holds an object.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "threads/own_thread.hpp"

namespace ovni::threads {

// The character of the kind in event codes: the second one of the definition.
constexpr char kind_of(State state) {
    constexpr char kinds[] = {'M', 'R', 'R', 'P', 'B', 'C', 'J', 'S', 'O'};
    return kinds[static_cast<unsigned>(state)];
}

// From 1; 0 if the table is full. Any thread, and handlers.
uint32_t number_of(State state, const void* object) noexcept;

// The tid of the thread that holds the object, 0 if unknown.
int32_t holder_of(State state, const void* object) noexcept;

// The object for a thread that is joined: its tid, or its handle if the tid is unknown. The C library reuses
// a handle after the join.
const void* object_of(pthread_t thread) noexcept;
// Call when a thread begins, so that a join after its end finds its tid.
void thread_begins() noexcept;

// Call when the calling thread is about to run the function of that object. False if another thread runs it.
bool begin_run_once(const pthread_once_t* object) noexcept;
void end_run_once(const void* object) noexcept;

// Call in a fork's child, which has none of the parent's other threads.
void forget_runs() noexcept;

}  // namespace ovni::threads
