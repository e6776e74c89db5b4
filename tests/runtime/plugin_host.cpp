// Knows nothing of libovni: loads a library that emits, unloads it, and loads it again.
//     runtime_plugin_host PLUGIN LIBOVNI [killed]
#include <dlfcn.h>
#include <signal.h>

#include <thread>

namespace {

void* load(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) _Exit(1);
    return library;
}

template <class... Args>
void call(void* library, const char* name, Args... args) {
    reinterpret_cast<void (*)(Args...)>(dlsym(library, name))(args...);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int batch = 1000;
    // Threads that were there before have no room for more thread-local storage than was left for them.
    std::thread([] {}).join();
    void* runtime = load(argv[2]);
    void* plugin = load(argv[1]);
    call(plugin, "begin_recording");
    call(plugin, "record", 1, batch);
    dlclose(runtime);
    call(plugin, "record", batch + 1, 2 * batch);
    dlclose(plugin);
    plugin = load(argv[1]);
    call(plugin, "record", 2 * batch + 1, 3 * batch);
    if (argc > 3) raise(SIGKILL);
    call(plugin, "end_recording");
    dlclose(plugin);
    return 8;
}
