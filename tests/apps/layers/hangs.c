/* Waits for a message that nobody sends. */
#include <mpi.h>

int main(int argc, char** argv) {
    int received;
    MPI_Init(&argc, &argv);
    MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
