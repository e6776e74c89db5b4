// The functions that create threads. The creating thread takes the number of a new thread, so that numbers
// follow the order of creation. The new thread reports it to libovni, and gets its row, before any code of
// the program runs in it.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "core/next_function.hpp"
#include "ovni/private.h"
#include "threads/rows.hpp"
#include "threads/thread_events.hpp"

namespace {

using ovni::NextFunction;
using PthreadCreate = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using ThrdCreate = int(thrd_t*, thrd_start_t, void*);

constinit NextFunction<PthreadCreate> real_pthread_create{"pthread_create"};
constinit NextFunction<ThrdCreate> real_thrd_create{"thrd_create"};

template <class Function>
struct Beginning {
    Function function;
    void* argument;
    uint32_t number;
    bool has_row;
    ovni::threads::Name creator;
    const void* caller;  // an address in the code that creates the thread
};

// Null without memory.
template <class Function>
Beginning<Function>* make_beginning(Function function, void* argument, const void* caller) noexcept {
    const uint32_t number = ovni_private_number_thread();
    if (number == UINT32_MAX) return nullptr;
    const bool has_row = ovni::threads::is_shown(caller);
    auto* beginning = static_cast<Beginning<Function>*>(malloc(sizeof(Beginning<Function>)));
    if (beginning)
        *beginning = {function, argument, number, has_row, ovni::threads::Name::of_this_thread(), caller};
    return beginning;
}

template <class Function>
auto begin(void* given) {
    const Beginning<Function> beginning = *static_cast<Beginning<Function>*>(given);
    free(given);
    ovni_private_thread_starts(beginning.number);
    if (beginning.has_row) ovni::threads::show_this_thread(beginning.creator);
    ovni::threads::record_start(beginning.caller);
    return beginning.function(beginning.argument);
}

// Runs before any thread of the program begins; a thread of a library may be older.
[[gnu::constructor]] void find_real_create() {
    real_pthread_create.get();
    real_thrd_create.get();
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                              void* argument) noexcept {
    auto* create = real_pthread_create.get();
    if (!create) return ENOSYS;
    const void* caller = __builtin_return_address(0);
    auto* beginning = make_beginning(function, argument, caller);
    if (!beginning) return create(thread, attributes, function, argument);
    const int error = create(thread, attributes, begin<void* (*)(void*)>, beginning);
    if (error != 0) free(beginning);
    if (error == 0) ovni::threads::record_creation(*thread, caller);
    return error;
}

extern "C" int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
    auto* create = real_thrd_create.get();
    if (!create) return thrd_error;
    const void* caller = __builtin_return_address(0);
    auto* beginning = make_beginning(function, argument, caller);
    if (!beginning) return create(thread, function, argument);
    const int status = create(thread, begin<thrd_start_t>, beginning);
    if (status != thrd_success) free(beginning);
    if (status == thrd_success) ovni::threads::record_creation(*thread, caller);
    return status;
}

#pragma GCC visibility pop
