/* A plugin of sites_host. NAME is the function that calls MPI. */
#include "sites.h"

static void __attribute__((noinline)) NAME(void) {
    AT(MPI_Barrier, (MPI_COMM_WORLD));
}

void run_plugin(void);
void run_plugin(void) {
    NAME();
    NAME();
}
