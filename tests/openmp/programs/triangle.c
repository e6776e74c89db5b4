/* triangle [ROWS [TIMES]]: rows of a triangle, dealt to threads in equal numbers: with n threads the last has
 * about 2n - 1 times as much work as the first. Ranks share the rows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double row(int length) {
    double sum = 0;
    for (int i = 1; i <= length; ++i) sum += 1.0 / ((double)i * i);
    return sum;
}

int main(int argc, char** argv) {
    const int rows = argc > 1 ? atoi(argv[1]) : 1000, times = argc > 2 ? atoi(argv[2]) : 10;
    double sum = 0, all = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int t = 0; t < times; ++t) {
        double part = 0;
#pragma omp parallel for schedule(static) reduction(+ : part)
        for (int i = 0; i < rows; ++i) part += row(i * 20);
        sum += part;
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%.3f\n", all);
    MPI_Finalize();
    return 0;
}
