#include "binding.h"
! Usage: calls_mpifh|calls_module|calls_f08 DIRECTORY [abort]. Calls functions of all families in Fortran, on MPI_COMM_WORLD, through mpif.h,
! the module mpi, or the module mpi_f08 without ierror; writes DIRECTORY/calls.RANK, DIRECTORY/traffic.RANK and the file
! DIRECTORY/data.
program main
  use account
  use completion, only: learn_indices
  use messages, only: exercise_messages
  use requested, only: exercise_requests
  use collectives, only: exercise_collectives
  use communicators, only: exercise_communicators
  use windows, only: exercise_windows
  use files, only: exercise_files
  use others, only: exercise_others
  implicit none
  character(len=1024) :: directory
#if defined(WITH_MODULE)
  integer :: provided
#endif
  call get_command_argument(1, directory)
#if defined(WITH_MODULE)
  CALL(Init_thread)(MPI_THREAD_FUNNELED, provided, error)
#else
  CALL(Init)(ONLY_IERROR)
#endif
  if (command_argument_count() > 1) call MPI_Abort(MPI_COMM_WORLD, 7 IERROR)
  call regions()
  call open_account()
  call learn_indices()
  call exercise_messages(MPI_COMM_WORLD)
  call exercise_requests(MPI_COMM_WORLD)
  call exercise_collectives(MPI_COMM_WORLD)
  call exercise_communicators(MPI_COMM_WORLD)
  call exercise_windows(MPI_COMM_WORLD)
  call exercise_files(MPI_COMM_WORLD, trim(directory))
  call exercise_others(MPI_COMM_WORLD)
  call finalize()
  call write_account(trim(directory))

contains

  subroutine regions()
#if defined(WITH_MPIFH)
    call MPI_Pcontrol(1, 'phase one  ')
    call MPI_Pcontrol(-1, 'phase one')
#else
    call MPI_Pcontrol(5)
#endif
  end subroutine regions
end program main
