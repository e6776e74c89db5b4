// libovni-threads.so: the creating thread takes the number of a new thread, so that numbers follow the order
// of creation. The new thread reports it to libovni before any code of the program runs in it.
#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "ovni/private.h"

namespace {

using Function = void* (*)(void*);
using Create = int (*)(pthread_t*, const pthread_attr_t*, Function, void*);

struct Beginning {
    Function function;
    void* argument;
    uint32_t number;
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
    return beginning.function(beginning.argument);
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
    *beginning = {function, argument, number};
    int error = real_create(thread, attributes, begin, beginning);
    if (error != 0) free(beginning);
    return error;
}

#pragma GCC visibility pop
