/* Calls MPI from many places, with an even number of ranks, and says from where:
 *
 *     sites_c [kill]    kill: rank 0 kills itself before MPI_Finalize
 */
#include "sites.h"

#include <signal.h>
#include <stddef.h>

void library_barrier(void);

static void exchange(int rank) {
    int here = rank, there = -1, partner = rank ^ 1;
    if (rank % 2 == 0) {
        AT(MPI_Send, (&here, 1, MPI_INT, partner, 7, MPI_COMM_WORLD));
        AT(MPI_Recv, (&there, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
        AT(MPI_Recv, (&there, 1, MPI_INT, partner, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        AT(MPI_Send, (&here, 1, MPI_INT, partner, 7, MPI_COMM_WORLD));
    }
}

static void __attribute__((noinline)) descend(int levels) {
    if (levels > 0) descend(levels - 1);
    AT(MPI_Barrier, (MPI_COMM_WORLD));
}

static void alternate(void) {
    int value = 1;
    for (int i = 0; i < 20; ++i) {
        AT(MPI_Bcast, (&value, 1, MPI_INT, 0, MPI_COMM_WORLD));
        AT(MPI_Bcast, (&value, 1, MPI_INT, 1, MPI_COMM_WORLD));
    }
}

/* One site before, during and after pauses; what is in a pause is not recorded. */
static void pause_and_resume(void) {
    for (int i = 0; i < 6; ++i) {
        if (i == 2) MPI_Pcontrol(0, NULL);
        if (i == 4) MPI_Pcontrol(1, NULL);
        int is_recorded = i < 2 || i >= 4;
        if (is_recorded) AT(MPI_Barrier, (MPI_COMM_WORLD));
        if (!is_recorded) MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; ++i) exchange(rank);
    descend(3);
    alternate();
    pause_and_resume();
    library_barrier();
    if (argc > 1 && strcmp(argv[1], "kill") == 0 && rank == 0) raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
