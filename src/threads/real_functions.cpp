#include "threads/real_functions.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/loaded_library.hpp"
#include "ovni/private.h"

namespace ovni::threads {

namespace {

// Finds the newest version. A search that succeeds allocates nothing, so an allocator with locks may call us.
template <class Function>
void look_up(RealFunction<Function>& function, const char* name) {
    const int before = errno;
    if (void* found = dlsym(RTLD_NEXT, name)) function = reinterpret_cast<Function*>(found);
    errno = before;
}

// Each pointer holds such a function before the first call.
#define OVNI_FIRST(name, parameters, arguments, ...) \
    int first_##name parameters {                    \
        look_up(r.name, #name);                      \
        if (r.name == first_##name) return ENOSYS;   \
        return r.name arguments;                     \
    }
#define WAIT OVNI_FIRST
#define ALWAYS OVNI_FIRST
#define ONCE OVNI_FIRST
#define INSTANT OVNI_FIRST
#define OF_THREAD OVNI_FIRST
#include "threads/functions.inc"

void first_pthread_exit(void* value) {
    look_up(r.pthread_exit, "pthread_exit");
    if (r.pthread_exit != first_pthread_exit) r.pthread_exit(value);
    __builtin_trap();
}

void first_call_once(once_flag* flag, void (*function)()) {
    look_up(r.call_once, "call_once");
    if (r.call_once != first_call_once) r.call_once(flag, function);
}

}  // namespace

#define OVNI_INITIAL(name, ...) first_##name,
constinit RealFunctions r = {
#define WAIT OVNI_INITIAL
#define ALWAYS OVNI_INITIAL
#define ONCE OVNI_INITIAL
#define INSTANT OVNI_INITIAL
#define OF_THREAD OVNI_INITIAL
#include "threads/functions.inc"
    first_pthread_exit,
    first_call_once,
};

constinit std::atomic<bool> may_be_layered{true};

namespace {

bool is_of_c_library(const void* function) {
    const LoadedLibrary library = LoadedLibrary::at(function);
    constexpr const char* names[] = {"libc.", "libpthread."};
    return std::ranges::any_of(
        names, [&](const char* begin) { return strncmp(library.file_name(), begin, strlen(begin)) == 0; });
}

template <class Function>
bool find_layer(RealFunction<Function>& function) {
    function.set_layered(!is_of_c_library(reinterpret_cast<const void*>(static_cast<Function*>(function))));
    return function.is_layered();
}

// The instructions of the program are those of the functions that it calls, and of no attempts.
bool are_instructions_counted() {
    const ovni_private_code_alarm* alarms = nullptr;
    const size_t count = ovni_private_code_alarms(&alarms);
    return std::any_of(alarms, alarms + count,
                       [](const auto& alarm) { return alarm.kind >= OVNI_PRIVATE_CODE_ICOUNT; });
}

[[gnu::constructor]] void look_up_all() {
#define OVNI_LOOK_UP(name, ...) look_up(r.name, #name);
#define WAIT OVNI_LOOK_UP
#define ALWAYS OVNI_LOOK_UP
#define ONCE OVNI_LOOK_UP
#define INSTANT OVNI_LOOK_UP
#define OF_THREAD OVNI_LOOK_UP
#include "threads/functions.inc"
    look_up(r.pthread_exit, "pthread_exit");
    look_up(r.call_once, "call_once");
    if (are_instructions_counted()) return;
    bool are_layered = false;
#define WAIT(name, ...) are_layered |= find_layer(r.name);
#include "threads/functions.inc"
    may_be_layered.store(are_layered, std::memory_order_relaxed);
}

}  // namespace

}  // namespace ovni::threads
