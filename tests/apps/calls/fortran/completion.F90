#include "binding.h"
! The ways to complete all requests of the module letters, with and without statuses.
module completion
  use letters
  implicit none
  ! MPICH 4.0 counts requests from 0 in mpi_f08, and says MPI_UNDEFINED + 1 in mpif.h.
  integer :: index_shift = 0
contains
  subroutine learn_indices()
    integer :: index
    STATUS(status)
    CALL(Isend)(out, 0, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(1) IERROR)
    CALL(Waitany)(1, requests, index, status IERROR)
    index_shift = 1 - index
  end subroutine learn_indices

  subroutine complete(way, ignore)
    integer, intent(in) :: way
    logical, intent(in) :: ignore
    if (ignore) then
      call complete_unseen(way)
    else
      call complete_seen(way)
    end if
    call expect(.not. any(is_receive(1:pending)), 'all letters received')
    pending = 0
  end subroutine complete

  subroutine complete_seen(way)
    integer, intent(in) :: way
    integer :: i, index, done, indices(slots)
    logical :: flag
    STATUS(status)
    STATUSES(statuses, slots)
    flag = .false.
    select case (way)
    case (1)
      do i = 1, pending
        CALL(Wait)(requests(i), status IERROR)
        call completed(i, status)
      end do
    case (2)
      CALL(Waitall)(pending, requests, statuses IERROR)
      do i = 1, pending
        call completed(i, STATUS_AT(statuses, i))
      end do
    case (3)
      do
        CALL(Waitany)(pending, requests, index, status IERROR)
        if (index < 0) exit
        call completed(index + index_shift, status)
      end do
    case (4)
      do
        CALL(Waitsome)(pending, requests, done, indices, statuses IERROR)
        if (done == MPI_UNDEFINED) exit
        do i = 1, done
          call completed(indices(i) + index_shift, STATUS_AT(statuses, i))
        end do
      end do
    case (5)
      do i = 1, pending
        flag = .false.
        do while (.not. flag)
          CALL(Test)(requests(i), flag, status IERROR)
        end do
        call completed(i, status)
      end do
    case (6)
      do while (.not. flag)
        CALL(Testall)(pending, requests, flag, statuses IERROR)
      end do
      do i = 1, pending
        call completed(i, STATUS_AT(statuses, i))
      end do
    case (7)
      do
        CALL(Testany)(pending, requests, index, flag, status IERROR)
        if (flag .and. index < 0) exit
        if (flag) call completed(index + index_shift, status)
      end do
    case default
      do
        CALL(Testsome)(pending, requests, done, indices, statuses IERROR)
        if (done == MPI_UNDEFINED) exit
        do i = 1, done
          call completed(indices(i) + index_shift, STATUS_AT(statuses, i))
        end do
      end do
    end select
  end subroutine complete_seen

  subroutine complete_unseen(way)
    integer, intent(in) :: way
    integer :: i, index, done, indices(slots)
    logical :: flag
    flag = .false.
    select case (way)
    case (1)
      do i = 1, pending
        CALL(Wait)(requests(i), MPI_STATUS_IGNORE IERROR)
        call completed_unseen(i)
      end do
    case (2)
      CALL(Waitall)(pending, requests, MPI_STATUSES_IGNORE IERROR)
      do i = 1, pending
        call completed_unseen(i)
      end do
    case (3)
      do
        CALL(Waitany)(pending, requests, index, MPI_STATUS_IGNORE IERROR)
        if (index < 0) exit
        call completed_unseen(index + index_shift)
      end do
    case (4)
      do
        CALL(Waitsome)(pending, requests, done, indices, MPI_STATUSES_IGNORE IERROR)
        if (done == MPI_UNDEFINED) exit
        do i = 1, done
          call completed_unseen(indices(i) + index_shift)
        end do
      end do
    case (5)
      do i = 1, pending
        flag = .false.
        do while (.not. flag)
          CALL(Test)(requests(i), flag, MPI_STATUS_IGNORE IERROR)
        end do
        call completed_unseen(i)
      end do
    case (6)
      do while (.not. flag)
        CALL(Testall)(pending, requests, flag, MPI_STATUSES_IGNORE IERROR)
      end do
      do i = 1, pending
        call completed_unseen(i)
      end do
    case (7)
      do
        CALL(Testany)(pending, requests, index, flag, MPI_STATUS_IGNORE IERROR)
        if (flag .and. index < 0) exit
        if (flag) call completed_unseen(index + index_shift)
      end do
    case default
      do
        CALL(Testsome)(pending, requests, done, indices, MPI_STATUSES_IGNORE IERROR)
        if (done == MPI_UNDEFINED) exit
        do i = 1, done
          call completed_unseen(indices(i) + index_shift)
        end do
      end do
    end select
  end subroutine complete_unseen
end module completion
