// libovni-threads.so: the creating thread takes the number of a new thread, so that numbers follow the order
// of creation. The new thread reports it to libovni before any code of the program runs in it.
#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "ovni/private.h"
#include "threads/thread_events.hpp"

namespace {

using Function = void* (*)(void*);
using Create = int (*)(pthread_t*, const pthread_attr_t*, Function, void*);

struct Beginning {
    Function function;
    void* argument;
    uint32_t number;
    const void* caller;  // an address in the code that creates the thread
};

Create real_create;

// Runs before any thread of the program begins; a thread of a library may be older.
[[gnu::constructor]] void find_real() {
    real_create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
}

void* begin(void* given) {
    Beginning beginning = *static_cast<Beginning*>(given);
    free(given);
    ovni_private_thread_starts(beginning.number);
    ovni::threads::record_start(beginning.caller);
    void* value = beginning.function(beginning.argument);
    ovni::threads::record_return();
    return value;
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, Function function,
                              void* argument) noexcept {
    if (!real_create) find_real();
    if (!real_create) return ENOSYS;
    uint32_t number = ovni_private_number_thread();
    auto* beginning = number == UINT32_MAX ? nullptr : static_cast<Beginning*>(malloc(sizeof(Beginning)));
    if (!beginning) return real_create(thread, attributes, function, argument);
    const void* caller = __builtin_return_address(0);
    *beginning = {function, argument, number, caller};
    int error = real_create(thread, attributes, begin, beginning);
    if (error != 0) free(beginning);
    if (error == 0) ovni::threads::record_creation(*thread, caller);
    return error;
}

#pragma GCC visibility pop
