/* A call of MPI that says where it is, for rank 0: AT(MPI_Barrier, (MPI_COMM_WORLD)) prints
 *
 *     MPI_Barrier FUNCTION FILE:LINE
 *
 * behind the call, so that no compiler makes a jump of it. */
#ifndef SITES_H
#define SITES_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static inline int is_first_rank(void) {
    int rank = -1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

static inline void tell_site(const char* mpi_function, const char* function, const char* path, int line) {
    const char* slash = strrchr(path, '/');
    if (!is_first_rank()) return;
    printf("%s %s %s:%d\n", mpi_function, function, slash ? slash + 1 : path, line);
    fflush(stdout);
}

#define AT_IN(name, function, arguments)                \
    do {                                                \
        function arguments;                             \
        tell_site(#function, name, __FILE__, __LINE__); \
    } while (0)
#define AT(function, arguments) AT_IN(__func__, function, arguments)

#endif
