// Names that the program gives to threads, its own or others.
#include <pthread.h>
#include <sys/prctl.h>

#include <cerrno>

#include "core/next_function.hpp"
#include "ovni/private.h"

namespace {

using ovni::NextFunction;
using SetName = int(pthread_t, const char*);
using Control = int(int, unsigned long, unsigned long, unsigned long, unsigned long);

constinit NextFunction<SetName> real_setname{"pthread_setname_np"};
constinit NextFunction<Control> real_prctl{"prctl"};

[[gnu::constructor]] void find_real_names() {
    real_setname.get();
    real_prctl.get();
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" int pthread_setname_np(pthread_t thread, const char* name) noexcept {
    auto* set = real_setname.get();
    if (!set) return ENOSYS;
    const int error = set(thread, name);
    if (error == 0) ovni_private_name_thread(thread, name);
    return error;
}

// The declaration has an ellipsis; the system takes four numbers, whatever the option needs.
extern "C" int ovni_threads_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
                                  unsigned long d) noexcept asm("prctl");
extern "C" int ovni_threads_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
                                  unsigned long d) noexcept {
    Control* control = real_prctl.get();
    if (!control) {
        errno = ENOSYS;
        return -1;
    }
    const int result = control(option, a, b, c, d);
    if (option == PR_SET_NAME && result == 0)
        ovni_private_name_thread(pthread_self(), reinterpret_cast<const char*>(a));
    return result;
}

#pragma GCC visibility pop
