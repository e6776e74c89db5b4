! Does what plugin.cpp does, in Fortran, so that both can be ranks of one job.
program partner
    use mpi
    implicit none
    integer :: rank, total, provided, error

    call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
    if (total /= 1) error stop 1
end program
