/* Loads plugins that call MPI, one after the other, each at the place of the one before:
 *
 *     sites_host PLUGIN...    calls run_plugin() of each
 */
#include <dlfcn.h>

#include "sites.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; ++i) {
        void* plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!plugin) return fprintf(stderr, "sites_host: %s\n", dlerror()), 2;
        void (*run)(void) = (void (*)(void))dlsym(plugin, "run_plugin");
        if (!run) return 2;
        run();
        if (is_first_rank()) printf("at %p\n", (void*)run);
        dlclose(plugin);
    }
    MPI_Finalize();
    return 0;
}
