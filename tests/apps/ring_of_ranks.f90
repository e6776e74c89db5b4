! The same in Fortran, shorter: ends well if the sum of the ranks is right.
program ring_of_ranks
    use mpi
    implicit none
    integer :: error, rank, ranks, total
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call MPI_Pcontrol(0)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call MPI_Pcontrol(1)
    call MPI_Finalize(error)
    if (total /= ranks * (ranks - 1) / 2) stop 1
end program
