/* Calls MPI below functions with frame pointers. */
#include "sites.h"

static void __attribute__((noinline)) inner(void) {
    AT(MPI_Barrier, (MPI_COMM_WORLD));
}

static void __attribute__((noinline)) middle(void) {
    inner();
    AT(MPI_Barrier, (MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2; ++i) middle();
    AT(MPI_Barrier, (MPI_COMM_WORLD));
    MPI_Finalize();
    return 0;
}
