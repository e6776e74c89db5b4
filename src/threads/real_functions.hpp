// The functions that this library stands before, as the program would call them without it. Each is looked up
// at its first call, which may come before any constructor has run.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>

namespace ovni::threads {

// A pointer that several threads may set at once, all to the same function.
template <class Function>
class RealFunction {
 public:
    constexpr RealFunction(Function* first) : function_(first) {}

    void operator=(Function* found) { function_.store(found, std::memory_order_relaxed); }
    operator Function*() const { return function_.load(std::memory_order_relaxed); }

 private:
    std::atomic<Function*> function_;
};

#define OVNI_POINTER(name, parameters, arguments, ...) RealFunction<int parameters> name;
struct RealFunctions {
#define WAIT OVNI_POINTER
#define ALWAYS OVNI_POINTER
#define ONCE OVNI_POINTER
#define INSTANT OVNI_POINTER
#define OF_THREAD OVNI_POINTER
#include "threads/functions.inc"
    RealFunction<void(void*)> pthread_exit;
    RealFunction<void(once_flag*, void (*)())> call_once;
};
#undef OVNI_POINTER

extern RealFunctions r;

}  // namespace ovni::threads
