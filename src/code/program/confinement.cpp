// A thread that forbids itself system calls by seccomp's strict mode: a system call of the library would end
// it.
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "code/cache/translated_threads.hpp"
#include "code/own_hits.hpp"
#include "code/real_function.hpp"

using namespace ovni::code;

// Declared with a variable number of arguments elsewhere, of which the system takes five.
#pragma GCC visibility push(default)
extern "C" int ovni_code_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
                               unsigned long d) noexcept asm("prctl");
extern "C" int ovni_code_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
                               unsigned long d) noexcept {
    using Control = int(int, unsigned long, unsigned long, unsigned long, unsigned long);
    auto* control = reinterpret_cast<Control*>(OVNI_REAL(prctl));
    if (option != PR_SET_SECCOMP || a != SECCOMP_MODE_STRICT) return control(option, a, b, c, d);
    own_hits.is_confined = own_hits.is_reporting = true;
    leave_translation(true);
    const int result = control(option, a, b, c, d);
    if (result == 0) return result;
    own_hits.is_confined = own_hits.is_reporting = false;
    leave_translation(false);
    enter_if_wanted();
    return result;
}
#pragma GCC visibility pop
