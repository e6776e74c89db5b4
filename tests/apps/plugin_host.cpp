// A program that knows no MPI until it loads a plugin that does:
//
//     plugin_host PLUGIN [WORD]    calls run_plugin(WORD) of it, and gives what that returns
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) return std::fprintf(stderr, "plugin_host: %s\n", dlerror()), 2;
    auto* run = reinterpret_cast<int (*)(const char*)>(dlsym(plugin, "run_plugin"));
    return run ? run(argc > 2 ? argv[2] : "") : 2;
}
