/* usage: ends_early return|exit|_exit    Ends so, without MPI_Finalize. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "exit") == 0) exit(0);
    if (argc > 1 && strcmp(argv[1], "_exit") == 0) _exit(0);
    return 0;
}
