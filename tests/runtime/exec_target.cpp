// Records, and then becomes another program that records: itself, with one word more.
//     runtime_exec_target [again]
#include <unistd.h>

#include "ovni.h"
#include "ovni/emit.hpp"

int main(int argc, char** argv) {
    ovni_proc_init(1, "exec", getpid());
    ovni_thread_init(getpid());
    ovni_add_cpu(0, 0);
    ovni::emit("OHx", 0, -1, uint64_t{0});
    for (int i = 0; i < 1000; ++i) ovni::emit("OB.", i + 1000 * (argc - 1));
    if (argc == 1) {
        execl("/proc/self/exe", argv[0], "again", nullptr);
        return 1;
    }
    ovni::emit("OHe");
    ovni_thread_free();
    ovni_proc_fini();
}
