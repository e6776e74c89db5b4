/* uneven_loop: three loops for four threads, dealt out statically: the last thread has four times the work of
 * each other one. Working is sleeping. Each rank prints a line of JSON: how many seconds it ran, how many of
 * them its threads lost at the end of loops, and the line of the loop. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { threads = 4, loops = 3 };

static void work(int share) {
    usleep(100000 * (share == threads - 1 ? 4 : 1));
}

int main(int argc, char** argv) {
    double end_of[threads] = {0};
    double lost = 0;
    int rank = 0, line = 0, provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double begin = MPI_Wtime();
    for (int loop = 0; loop < loops; ++loop) {
        line = __LINE__ + 1;
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int share = 0; share < threads; ++share) {
            work(share);
            end_of[omp_get_thread_num()] = MPI_Wtime();
        }
        const double end = MPI_Wtime();
        for (int thread = 0; thread < threads; ++thread) lost += end - end_of[thread];
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("{\"rank\": %d, \"ran\": %.6f, \"lost\": %.6f, \"line\": %d, \"to_blame\": false}\n", rank,
           MPI_Wtime() - begin, lost, line);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
