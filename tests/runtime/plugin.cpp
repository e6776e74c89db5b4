// A library that emits, and may be loaded into programs that know nothing of libovni.
#include <unistd.h>

#include "ovni.h"
#include "ovni/emit.hpp"

extern "C" [[gnu::visibility("default")]] void begin_recording() {
    ovni_proc_init(1, "plugin", getpid());
    ovni_thread_init(getpid());
    ovni_add_cpu(0, 0);
    ovni::emit("OHx", 0, -1, uint64_t{0});
}

extern "C" [[gnu::visibility("default")]] void record(int first, int last) {
    for (int i = first; i <= last; ++i) ovni::emit("OB.", i);
}

extern "C" [[gnu::visibility("default")]] void end_recording() {
    ovni::emit("OHe");
    ovni_thread_free();
    ovni_proc_fini();
}
