! Calls MPI from Fortran, by mpif.h or by mpi_f08.
program sites
#ifdef WITH_F08
    use mpi_f08
    implicit none
#else
    implicit none
    include 'mpif.h'
#endif
    integer :: ierror, rank, i

    call MPI_Init(ierror)
    call PMPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    do i = 1, 3
        call share(i)
        call MPI_Barrier(MPI_COMM_WORLD, ierror); call tell('MPI_Barrier', 'sites', __LINE__)
    end do
    call meet()
    call MPI_Finalize(ierror)

contains

    subroutine share(number)
        integer, intent(in) :: number
        integer :: value, failed
        value = number
        call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, failed); call tell('MPI_Bcast', 'share', __LINE__)
    end subroutine

    subroutine meet()
        integer :: failed
        call MPI_Barrier(MPI_COMM_WORLD, failed); call tell('MPI_Barrier', 'meet', __LINE__)
        call MPI_Barrier(MPI_COMM_WORLD, failed); call tell('MPI_Barrier', 'meet', __LINE__)
    end subroutine

    subroutine tell(mpi_function, name, line)
        character(len=*), intent(in) :: mpi_function, name
        integer, intent(in) :: line
        if (rank == 0) print '(a, " ", a, " sites.F90:", i0)', mpi_function, name, line
    end subroutine
end program
