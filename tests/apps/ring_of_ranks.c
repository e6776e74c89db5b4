/* A program for any MPI, built by the test that needs it with another one: regions, communicators, requests,
 * statuses. Rank 0 ends with status 7 if all went well. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank = 0, ranks = 0, sum = 0, got = -1, got_again = -1, provided = 0;
    MPI_Comm half;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    if (argc > 1)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Pcontrol(1, "ring");
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Irecv(&got, 1, MPI_INT, from, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Sendrecv(&rank, 1, MPI_INT, to, 4, &got_again, 1, MPI_INT, from, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    MPI_Pcontrol(-1, "ring");
    int is_well =
        sum == ranks * (ranks - 1) / 2 && got == from && got_again == from && statuses[0].MPI_SOURCE == from;
    if (argc > 2 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Finalize();
    if (!is_well) fprintf(stderr, "rank %d: sum %d, got %d and %d\n", rank, sum, got, got_again);
    return !is_well ? 1 : rank == 0 ? 7 : 0;
}
