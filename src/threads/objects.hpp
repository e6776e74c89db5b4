// Numbers of the objects that threads wait for, by kind and address, and the thread that has an object.
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

// The tid of the thread that has the object, 0 if nobody can know.
int32_t holder_of(State state, const void* object) noexcept;

// The calling thread begins, or ends: threads that join it see its tid in between.
void thread_lives(bool lives) noexcept;
// The calling thread is about to run the function of that object, if nobody does.
void runs_once(const void* object) noexcept;

}  // namespace ovni::threads
