// The functions that this library stands before, as the program would call them without it. Each is looked up
// at its first call, which may come before any constructor has run.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

namespace ovni::threads {

#define OVNI_POINTER(name, parameters, arguments, ...) int(*name) parameters;
struct RealFunctions {
#define WAIT OVNI_POINTER
#define ALWAYS OVNI_POINTER
#define INSTANT OVNI_POINTER
#define OF_THREAD OVNI_POINTER
#include "threads/functions.inc"
    void (*pthread_exit)(void*);
    void (*call_once)(once_flag*, void (*)());
};
#undef OVNI_POINTER

extern RealFunctions r;

}  // namespace ovni::threads
