// The real functions behind the wrappers of this library. Each is looked up at its first call, which may come
// before any constructor has run.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>

namespace ovni::threads {

// A pointer that several threads may set concurrently, all to one function.
template <class Function>
class RealFunction {
 public:
    constexpr RealFunction(Function* first) : function_(first) {}

    void operator=(Function* found) { function_.store(found, std::memory_order_relaxed); }
    operator Function*() const { return function_.load(std::memory_order_relaxed); }

    // True if the function may belong to another tool, or to a library of the program, that wraps it as well.
    // False only if it is known to be the C library's.
    bool is_layered() const { return is_layered_.load(std::memory_order_relaxed); }
    void set_layered(bool is_layered) { is_layered_.store(is_layered, std::memory_order_relaxed); }

 private:
    std::atomic<Function*> function_;
    std::atomic<bool> is_layered_{true};
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

// False if no function that may wait is layered.
extern std::atomic<bool> may_be_layered;

}  // namespace ovni::threads
