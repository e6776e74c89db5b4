/* A layer for Fortran: doubles what mpi_allreduce of the program adds up. */
void pmpi_allreduce_(int* from, int* to, int* count, int* type, int* op, int* comm, int* error);

void mpi_allreduce_(int* from, int* to, int* count, int* type, int* op, int* comm, int* error) {
    pmpi_allreduce_(from, to, count, type, op, comm, error);
    *to *= 2;
}
