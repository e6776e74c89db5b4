// Stages of a program, told to the tracer by MPI_Pcontrol: MPI_Barrier, then MPI_Allreduce in the stage
// "solve", then MPI_Bcast in none, then the end. Next to this file lie its twins in C++ and Fortran.
#include <mpi.h>
#include <stddef.h>

static int value = 1, sum;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1, "solve");
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "solve");
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum > 0 ? 0 : 1;
}
