// Ends of the process that no handler of exit() sees: children of a fork usually end so.
#include <unistd.h>

#include <cstdlib>

#include "core/next_function.hpp"
#include "ovni/private.h"

namespace {

using ovni::NextFunction;
using Exit = void(int);

constinit NextFunction<Exit> real_exit{"_exit"};

[[gnu::constructor]] void find_real_exits() {
    real_exit.get();
}

[[noreturn]] void end(int code) noexcept {
    ovni_private_expect_end(code);
    if (Exit* exit = real_exit.get()) exit(code);
    __builtin_trap();
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" [[noreturn]] void _exit(int code) {
    end(code);
}

extern "C" [[noreturn]] void _Exit(int code) noexcept {
    end(code);
}

#pragma GCC visibility pop
