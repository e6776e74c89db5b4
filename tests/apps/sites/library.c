/* A library of sites_c. */
#include "sites.h"

void library_barrier(void);
void library_barrier(void) {
    AT(MPI_Barrier, (MPI_COMM_WORLD));
}
