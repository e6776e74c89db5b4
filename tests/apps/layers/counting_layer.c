/* A tool that counts calls of MPI_Allreduce. It hands on to PMPI; with NEXT, to the next function that the
 * loader finds. */
#ifdef NEXT
#define _GNU_SOURCE
#include <dlfcn.h>
#endif
#include <mpi.h>
#include <stdio.h>

typedef int Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int Finalize(void);

#ifdef NEXT
#define BEHIND(name) (name*)dlsym(RTLD_NEXT, "MPI_" #name)
#else
#define BEHIND(name) PMPI_##name
#endif

static int calls;

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    Allreduce* behind = BEHIND(Allreduce);
    ++calls;
    return behind(from, to, count, type, op, comm);
}

int MPI_Finalize(void) {
    Finalize* behind = BEHIND(Finalize);
    fprintf(stderr, "counted %d\n", calls);
    return behind();
}
