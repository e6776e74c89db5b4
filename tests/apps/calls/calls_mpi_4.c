/* Usage: calls_mpi_4 DIRECTORY. Calls functions of MPI 4, as calls_c those of MPI 3, with the same files;
 * exits 77 if the MPI has none. */
#include "families.h"

#if MPI_VERSION >= 4
int main(int argc, char** argv) {
    if (argc < 2) return 2;
    CALL(Init, &argc, &argv);
    open_account();
    exercise_large(MPI_COMM_WORLD);
    exercise_large_files(MPI_COMM_WORLD, argv[1]);
    exercise_persistent_collectives(MPI_COMM_WORLD);
    exercise_partitioned(MPI_COMM_WORLD);
    return close_account(argv[1]);
}
#else
int main(void) {
    return 77;
}
#endif
