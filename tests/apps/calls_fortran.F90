! Usage: calls_mpifh|calls_module|calls_f08 DIR [abort]. Calls functions of every family in Fortran, through mpif.h, the module
! mpi, or the module mpi_f08 without ierror; counts its calls by name in DIR/calls.RANK, writes the file DIR/data and
! prints a sum on rank 0.
#if defined(WITH_F08)
#define HANDLE(kind) type(kind)
#define IERROR
#else
#define HANDLE(kind) integer
#define IERROR , error
#endif

module counts
  implicit none
  integer, parameter :: most = 128
  character(len=32) :: names(most)
  integer :: calls(most) = 0, used = 0
contains
  subroutine did(name)
    character(len=*), intent(in) :: name
    integer :: i
    do i = 1, used
      if (names(i) == name) exit
    end do
    if (i > used) then
      used = i
      names(i) = name
    end if
    calls(i) = calls(i) + 1
  end subroutine did

  subroutine write_counts(path)
    character(len=*), intent(in) :: path
    integer :: i
    open (unit=7, file=path, status='replace')
    do i = 1, used
      write (7, '(a,1x,i0)') trim(names(i)), calls(i)
    end do
    close (7)
  end subroutine write_counts
end module counts

program main
  use counts
#if defined(WITH_F08)
  use mpi_f08
#elif defined(WITH_MODULE)
  use mpi
#endif
  implicit none
#if defined(WITH_MPIFH)
  include 'mpif.h'
#endif
  integer :: rank, ranks, right, left, total, reduced
  character(len=1024) :: directory
  character(len=16) :: number
#if defined(WITH_MODULE)
  integer :: provided
#endif
#if !defined(WITH_F08)
  integer :: error
#endif
  call get_command_argument(1, directory)
  total = 0
#if defined(WITH_F08)
  call did('MPI_Init')
  call MPI_Init()
#elif defined(WITH_MODULE)
  call did('MPI_Init_thread')
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
#else
  call did('MPI_Init')
  call MPI_Init(error)
#endif
  call MPI_Comm_rank(MPI_COMM_WORLD, rank IERROR)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks IERROR)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  if (command_argument_count() > 1) call MPI_Abort(MPI_COMM_WORLD, 7 IERROR)
  call regions()
  call messages()
  call collectives()
  call communicators()
  call one_sided()
  call write_file()
  call did('MPI_Reduce')
  call MPI_Reduce(total, reduced, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD IERROR)
  if (rank == 0) print '(i0)', reduced
  call did('MPI_Finalize')
#if defined(WITH_F08)
  call MPI_Finalize()
#else
  call MPI_Finalize(error)
#endif
  write (number, '(i0)') rank
  call write_counts(trim(directory) // '/calls.' // trim(number))

contains

  subroutine regions()
#if defined(WITH_MPIFH)
    call MPI_Pcontrol(1, 'phase one  ')
    call MPI_Pcontrol(-1, 'phase one')
#else
    call MPI_Pcontrol(5)
#endif
  end subroutine regions

  subroutine messages()
    HANDLE(MPI_Request) :: requests(2)
    integer :: in(2), out(2)
    logical :: flag
    out = (/ rank, rank + 1 /)
    call did('MPI_Irecv')
    call MPI_Irecv(in, 2, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1) IERROR)
    call did('MPI_Isend')
    call MPI_Isend(out, 2, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2) IERROR)
    call did('MPI_Waitall')
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERROR)
    total = total + in(1)
    call did('MPI_Isend')
    call MPI_Isend(out, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(1) IERROR)
    flag = .false.
    do while (.not. flag)
      call did('MPI_Iprobe')
      call MPI_Iprobe(left, 2, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE IERROR)
    end do
    call did('MPI_Recv')
    call MPI_Recv(in, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE IERROR)
    flag = .false.
    do while (.not. flag)
      call did('MPI_Test')
      call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE IERROR)
    end do
    call did('MPI_Sendrecv')
    call MPI_Sendrecv(out, 2, MPI_INTEGER, right, 3, in, 2, MPI_INTEGER, left, 3, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE IERROR)
    total = total + in(2)
  end subroutine messages

  subroutine collectives()
    integer :: one, together, all(64), counts_of(64), places(64), i
    HANDLE(MPI_Request) :: request
    one = 1
    call did('MPI_Barrier')
    call MPI_Barrier(MPI_COMM_WORLD IERROR)
    call did('MPI_Bcast')
    call MPI_Bcast(one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD IERROR)
    together = one
    call did('MPI_Allreduce')
    call MPI_Allreduce(MPI_IN_PLACE, together, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERROR)
    counts_of = 1
    places = (/ (i, i=0, 63) /)
    call did('MPI_Allgatherv')
    call MPI_Allgatherv(rank, 1, MPI_INTEGER, all, counts_of, places, MPI_INTEGER, MPI_COMM_WORLD IERROR)
    call did('MPI_Iallgatherv')
    call MPI_Iallgatherv(rank, 1, MPI_INTEGER, all, counts_of, places, MPI_INTEGER, MPI_COMM_WORLD, request IERROR)
    call did('MPI_Wait')
    call MPI_Wait(request, MPI_STATUS_IGNORE IERROR)
    total = total + together + all(ranks)
  end subroutine collectives

  subroutine communicators()
    HANDLE(MPI_Comm) :: half, ring
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: length, neighbour, source
    integer :: dims(1)
    logical :: periods(1)
    call did('MPI_Comm_split')
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half IERROR)
    call did('MPI_Comm_set_name')
    call MPI_Comm_set_name(half, 'half' IERROR)
    call did('MPI_Comm_get_name')
    call MPI_Comm_get_name(half, name, length IERROR)
    call did('MPI_Comm_free')
    call MPI_Comm_free(half IERROR)
    dims = ranks
    periods = .true.
    call did('MPI_Cart_create')
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring IERROR)
    call did('MPI_Cart_shift')
    call MPI_Cart_shift(ring, 0, 1, source, neighbour IERROR)
    call did('MPI_Comm_free')
    call MPI_Comm_free(ring IERROR)
    if (name /= 'half') total = total + 1000
    total = total + length + neighbour
  end subroutine communicators

  subroutine one_sided()
    HANDLE(MPI_Win) :: win
    integer, asynchronous, save :: window
    integer(kind=MPI_ADDRESS_KIND) :: bytes, place
    window = -1
    bytes = 4
    place = 0
    call did('MPI_Win_create')
    call MPI_Win_create(window, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win IERROR)
    call did('MPI_Win_fence')
    call MPI_Win_fence(0, win IERROR)
    call did('MPI_Put')
    call MPI_Put(rank, 1, MPI_INTEGER, right, place, 1, MPI_INTEGER, win IERROR)
    call did('MPI_Win_fence')
    call MPI_Win_fence(0, win IERROR)
    call did('MPI_Win_free')
    call MPI_Win_free(win IERROR)
    total = total + window
  end subroutine one_sided

  subroutine write_file()
    HANDLE(MPI_File) :: data
    HANDLE(MPI_Info) :: info
    integer(kind=MPI_OFFSET_KIND) :: place
    call did('MPI_Info_create')
    call MPI_Info_create(info IERROR)
    call did('MPI_Info_set')
    call MPI_Info_set(info, 'cb_nodes', '1' IERROR)
    call did('MPI_File_open')
    call MPI_File_open(MPI_COMM_WORLD, trim(directory) // '/data', MPI_MODE_CREATE + MPI_MODE_WRONLY, info, &
                       data IERROR)
    call did('MPI_Info_free')
    call MPI_Info_free(info IERROR)
    place = 4 * rank
    call did('MPI_File_write_at')
    call MPI_File_write_at(data, place, total, 1, MPI_INTEGER, MPI_STATUS_IGNORE IERROR)
    call did('MPI_File_close')
    call MPI_File_close(data IERROR)
  end subroutine write_file
end program main
