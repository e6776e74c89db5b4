#include "binding.h"
! One-sided communication: windows and epochs of all kinds, all accesses.
module windows
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use messages
  implicit none
  integer, parameter :: cells = 16
  integer(kind=MPI_ADDRESS_KIND), parameter :: window_bytes = cells*int_bytes
  integer, target, save :: memory(cells)
  integer, pointer, save :: window(:)
  integer, save :: five(1) = 5, two(2) = 2, wanted(1), fetched(1), swapped(1), read(1), replaced(1)
  integer(kind=MPI_ADDRESS_KIND) :: start
  integer :: unit
contains
  subroutine exercise_windows(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    call enter(comm)
    start = 0
    unit = 1
    call allocated()
    if (ranks < 2) return
    call created()
    call dynamic()
  end subroutine exercise_windows

  ! The place of a cell, counted from 0, in the window of another rank.
  integer(kind=MPI_ADDRESS_KIND) function place(cell)
    integer, intent(in) :: cell
    place = start + cell*unit
  end function place

  subroutine clear()
    integer :: i
    window = (/(100*me + i - 1, i=1, cells)/)
    call barrier()
  end subroutine clear

  ! Changes that this rank makes to the window of its right neighbour.
  subroutine access_right(win)
    HANDLE(MPI_Win), intent(in) :: win
    wanted = 100*right + 4
    CALL(Put)(five, 1, MPI_INTEGER, right, place(0), 1, MPI_INTEGER, win IERROR)
    CALL(Accumulate)(two, 2, MPI_INTEGER, right, place(1), 2, MPI_INTEGER, MPI_SUM, win IERROR)
    CALL(Fetch_and_op)(two, fetched, MPI_INTEGER, right, place(3), MPI_SUM, win IERROR)
    CALL(Compare_and_swap)(five, wanted, swapped, MPI_INTEGER, right, place(4), win IERROR)
    CALL(Get)(read, 1, MPI_INTEGER, right, place(5), 1, MPI_INTEGER, win IERROR)
    CALL(Get_accumulate)(two, 1, MPI_INTEGER, replaced, 1, MPI_INTEGER, right, place(6), 1, MPI_INTEGER, MPI_REPLACE, win IERROR)
  end subroutine access_right

  subroutine check_access()
    integer :: mine, theirs
    mine = 100*me
    theirs = 100*right
    call expect(all(window(1:7) == (/5, mine + 3, mine + 4, mine + 5, 5, mine + 5, 2/)), 'the window')
    call expect(fetched(1) == theirs + 3 .and. swapped(1) == theirs + 4, 'what was fetched')
    call expect(read(1) == theirs + 5 .and. replaced(1) == theirs + 6, 'what was read')
  end subroutine check_access

  subroutine fences(win)
    HANDLE(MPI_Win), intent(in) :: win
    call clear()
    CALL(Win_fence)(0, win IERROR)
    call access_right(win)
    CALL(Win_fence)(0, win IERROR)
    call check_access()
  end subroutine fences

  subroutine post_start(win, by_test)
    HANDLE(MPI_Win), intent(in) :: win
    logical, intent(in) :: by_test
    HANDLE(MPI_Group) :: everybody, before, behind
    logical :: done
    call clear()
    CALL(Win_get_group)(win, everybody IERROR)
    CALL(Group_incl)(everybody, 1, (/left/), before IERROR)
    CALL(Group_incl)(everybody, 1, (/right/), behind IERROR)
    CALL(Win_post)(before, 0, win IERROR)
    CALL(Win_start)(behind, 0, win IERROR)
    call access_right(win)
    CALL(Win_complete)(win IERROR)
    done = .false.
    do while (by_test .and. .not. done)
      CALL(Win_test)(win, done IERROR)
    end do
    if (.not. by_test) then
      CALL(Win_wait)(win IERROR)
    end if
    call check_access()
    CALL(Group_free)(before IERROR)
    CALL(Group_free)(behind IERROR)
    CALL(Group_free)(everybody IERROR)
  end subroutine post_start

  subroutine locks(win)
    HANDLE(MPI_Win), intent(in) :: win
    call clear()
    CALL(Win_lock)(MPI_LOCK_EXCLUSIVE, right, 0, win IERROR)
    call access_right(win)
    CALL(Win_flush_local)(right, win IERROR)
    CALL(Win_unlock)(right, win IERROR)
    call barrier()
    CALL(Win_lock)(MPI_LOCK_SHARED, me, 0, win IERROR)
    call check_access()
    CALL(Win_unlock)(me, win IERROR)
  end subroutine locks

  subroutine lock_of_all(win)
    HANDLE(MPI_Win), intent(in) :: win
    HANDLE(MPI_Request) :: pair(2)
    call clear()
    CALL(Win_lock_all)(0, win IERROR)
    call access_right(win)
    CALL(Win_flush_local_all)(win IERROR)
    CALL(Win_flush)(right, win IERROR)
    call barrier()
    CALL(Win_sync)(win IERROR)
    call check_access()
    call barrier()
    CALL(Rput)(five, 1, MPI_INTEGER, right, place(8), 1, MPI_INTEGER, win, pair(1) IERROR)
    CALL(Raccumulate)(two, 1, MPI_INTEGER, right, place(9), 1, MPI_INTEGER, MPI_SUM, win, pair(2) IERROR)
    CALL(Waitall)(2, pair, MPI_STATUSES_IGNORE IERROR)
    CALL(Win_flush_all)(win IERROR)
    CALL(Rget)(read, 1, MPI_INTEGER, right, place(8), 1, MPI_INTEGER, win, pair(1) IERROR)
    CALL(Rget_accumulate)(two, 1, MPI_INTEGER, fetched, 1, MPI_INTEGER, right, place(9), 1, MPI_INTEGER, MPI_SUM, win, pair(2) IERROR)
    CALL(Waitall)(2, pair, MPI_STATUSES_IGNORE IERROR)
    CALL(Win_unlock_all)(win IERROR)
    call expect(read(1) == 5 .and. fetched(1) == 100*right + 11, 'accesses with requests')
  end subroutine lock_of_all

  subroutine epochs(win)
    HANDLE(MPI_Win), intent(in) :: win
    call fences(win)
    call post_start(win, .false.)
    call post_start(win, .true.)
    call locks(win)
    call lock_of_all(win)
    call barrier()
  end subroutine epochs

  subroutine created()
    HANDLE(MPI_Win) :: win
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: length
    window => memory
    CALL(Win_create)(memory, window_bytes, int_bytes, MPI_INFO_NULL, world, win IERROR)
    CALL(Win_set_name)(win, 'the window' IERROR)
    CALL(Win_get_name)(win, name, length IERROR)
    call expect(length == 10, 'the name of a window')
#if !defined(WITH_F08)
    call expect(name == 'the window', 'the name of a window') ! mpi_f08 of Open MPI 4.1 loses it
#endif
    call epochs(win)
    CALL(Win_free)(win IERROR)
  end subroutine created

  ! Memory that MPI gives: as a C_PTR, or in mpif.h as an address that Fortran cannot use.
  subroutine allocated()
    HANDLE(MPI_Win) :: win
#if defined(WITH_MPIFH)
    integer(kind=MPI_ADDRESS_KIND) :: address
    CALL(Win_allocate)(window_bytes, int_bytes, MPI_INFO_NULL, world, address, win IERROR)
    CALL(Win_fence)(0, win IERROR)
    CALL(Put)(five, 1, MPI_INTEGER, right, place(0), 1, MPI_INTEGER, win IERROR)
    CALL(Win_fence)(0, win IERROR)
    CALL(Get)(read, 1, MPI_INTEGER, right, place(0), 1, MPI_INTEGER, win IERROR)
    CALL(Win_fence)(0, win IERROR)
    call expect(read(1) == 5, 'a window that MPI allocates')
#else
    type(c_ptr) :: address
    CALL(Win_allocate)(window_bytes, int_bytes, MPI_INFO_NULL, world, address, win IERROR)
    call c_f_pointer(address, window, (/cells/))
    call epochs(win)
    CALL(Win_free)(win IERROR)
    CALL(Win_allocate_shared)(window_bytes, int_bytes, MPI_INFO_NULL, world, address, win IERROR)
    call c_f_pointer(address, window, (/cells/))
    call epochs(win)
#endif
    CALL(Win_free)(win IERROR)
  end subroutine allocated

  subroutine dynamic()
    HANDLE(MPI_Win) :: win
    integer(kind=MPI_ADDRESS_KIND) :: own(1), everywhere(0:most_ranks)
    window => memory
    CALL(Win_create_dynamic)(MPI_INFO_NULL, world, win IERROR)
    CALL(Win_attach)(win, memory, window_bytes IERROR)
    CALL(Get_address)(memory, own(1) IERROR)
    CALL(Allgather)(own, 1, MPI_AINT, everywhere, 1, MPI_AINT, world IERROR)
    start = everywhere(right)
    unit = int_bytes
    call epochs(win)
    CALL(Win_detach)(win, memory IERROR)
    CALL(Win_free)(win IERROR)
  end subroutine dynamic
end module windows
