// A C++ program that emits inline.
#include <ovni.h>
#include <unistd.h>

#include <ovni/emit.hpp>

int main() {
    ovni_version_check();
    ovni_proc_init(1, "node.cxx", getpid());
    ovni_thread_init(getpid());
    ovni_add_cpu(0, 0);
    ovni::emit("OHx", int32_t{0}, int32_t{-1}, uint64_t{0});
    ovni::emit("OB.");
    ovni::emit("OHe");
    ovni_thread_free();
    ovni_proc_fini();
    return 0;
}
