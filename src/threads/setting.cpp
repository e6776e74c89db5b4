#include "threads/setting.hpp"

#include <cstdlib>
#include <cstring>

namespace ovni::threads {

namespace {

Shown read() noexcept {
    const char* text = secure_getenv("OVNI_THREADS");
    if (text && strcmp(text, "all") == 0) return Shown::all;
    return text && strcmp(text, "mpi") == 0 ? Shown::mpi : Shown::program;
}

}  // namespace

// The program may change its environment later.
Shown shown() noexcept {
    static const Shown chosen = read();
    return chosen;
}

}  // namespace ovni::threads
