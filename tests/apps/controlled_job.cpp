// Does what the lines on the first rank's stdin ask for, and says "done" to each: a number is so many
// barriers of all ranks.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, count = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        if (rank == 0 && std::scanf("%d", &count) != 1) count = -1;
        MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (count < 0) break;
        for (int i = 0; i < count; ++i) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (rank == 0) {
            std::puts("done");
            std::fflush(stdout);
        }
    }
    MPI_Finalize();
    return 0;
}
