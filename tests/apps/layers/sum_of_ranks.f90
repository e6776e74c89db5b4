! Says what the numbers of the ranks add up to.
program sum_of_ranks
    implicit none
    include 'mpif.h'
    integer :: rank, total, error
    call mpi_init(error)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
    call mpi_allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a, i0)', 'sum ', total
    call mpi_finalize(error)
end program
