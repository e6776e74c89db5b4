/* usage: deep_host PLUGIN now|lazy deep|plain    Loads the plugin so, and calls what its table names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

struct Row {
    const char* name;
    int (*function)(int);
};

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    int rank = 0, mode = strcmp(argv[2], "now") == 0 ? RTLD_NOW : RTLD_LAZY;
    if (strcmp(argv[3], "deep") == 0) mode |= RTLD_DEEPBIND;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void* plugin = dlopen(argv[1], mode);
    const struct Row* table = plugin ? dlsym(plugin, "table") : NULL;
    if (!table) return 3;
    const int answer = table[0].function(20);
    if (rank == 0) printf("%s says %d\n", table[0].name, answer);
    return MPI_Finalize();
}
