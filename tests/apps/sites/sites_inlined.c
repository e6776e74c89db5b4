/* Calls MPI in a function that is inlined into another one, which is inlined as well. Rank 0 prints a line
 * for each caller, the innermost first: its name and the line with its call. */
#include <mpi.h>
#include <stdio.h>

static int line_of_inner, line_of_middle, line_of_outer, line_of_main;

__attribute__((always_inline)) static inline void inner(void) {
    line_of_inner = __LINE__, MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((always_inline)) static inline void middle(int times) {
    for (int i = 0; i < times; ++i) {
        line_of_middle = __LINE__, inner();
    }
}

__attribute__((noinline)) static void outer(int times) {
    line_of_outer = __LINE__, middle(times);
    line_of_outer += 0 * times; /* so that the call is not the last thing */
}

int main(int argc, char** argv) {
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    line_of_main = __LINE__, outer(argc + 2);
    if (rank == 0) {
        printf("inner sites_inlined.c:%d\n", line_of_inner);
        printf("middle sites_inlined.c:%d\n", line_of_middle);
        printf("outer sites_inlined.c:%d\n", line_of_outer);
        printf("main sites_inlined.c:%d\n", line_of_main);
    }
    MPI_Finalize();
    return 0;
}
