! As stages.c, through mpif.h, the module mpi, or the module mpi_f08. The modules declare MPI_Pcontrol without a text, so a program
! that has one leaves their MPI_Pcontrol out.
program stages
#if defined(WITH_F08)
  use mpi_f08, without_text => MPI_Pcontrol
#elif defined(WITHOUT_PCONTROL)
  use mpi
#elif defined(WITH_MODULE)
  use mpi, without_text => MPI_Pcontrol
#endif
  implicit none
#if defined(WITH_MPIFH)
  include 'mpif.h'
#endif
  external :: MPI_Pcontrol
  integer :: error, value, total
  value = 1
  call MPI_Init(error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Pcontrol(1, 'solve ')
  call MPI_Allreduce(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Pcontrol(-1, 'solve'//char(0))
  call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program stages
