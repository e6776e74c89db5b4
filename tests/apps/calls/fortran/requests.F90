#include "binding.h"
! Requests in every mix and way of completion, persistent, cancelled, asked about, and generalized ones.
module generalized
  use account
  implicit none
  integer :: released = 0
contains
#if defined(WITH_F08)
  subroutine query(state, status, ierror)
    type(MPI_Status) :: status
#else
  subroutine query(state, status, ierror)
    integer :: status(MPI_STATUS_SIZE)
#endif
    integer(kind=MPI_ADDRESS_KIND) :: state
    integer :: ierror
    CALL(Status_set_elements)(status, MPI_INTEGER, 5 IERROR)
    CALL(Status_set_cancelled)(status, .false. IERROR)
    SOURCE_OF(status) = MPI_UNDEFINED
    TAG_OF(status) = MPI_UNDEFINED
    ierror = MPI_SUCCESS
  end subroutine query

  subroutine release(state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: state
    integer :: ierror
    released = released + 1
    ierror = MPI_SUCCESS
  end subroutine release

  subroutine cancel(state, done, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: state
    logical :: done
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine cancel
end module generalized

module requested
  use messages
  use generalized
  implicit none
  integer :: root_value(1), ones(1), sums(1)
contains
  subroutine exercise_requests(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    integer :: way
    call enter(comm)
    do way = 1, ways
      call mix(way, .false.)
      call mix(way, .true.)
    end do
    call persistent()
    call cancelled()
    call asked_about()
    call generalized_ones()
  end subroutine exercise_requests

  ! Receives of one rank and of any, sends, collectives, no request and an inactive one at once.
  subroutine mix(way, ignore)
    integer, intent(in) :: way
    logical, intent(in) :: ignore
    HANDLE(MPI_Request) :: inactive
    integer :: i
    ones = 1
    sums = 0
    root_value = 0
    if (me == 0) root_value = 42
    CALL(Send_init)(out, 1, MPI_INTEGER, right, 1, world, inactive IERROR)
    call post_receive(left, 1, world)
    call post_receive(MPI_ANY_SOURCE, 2, world)
    i = slot()
    i = slot()
    requests(i) = inactive
    i = slot()
    CALL(Iallreduce)(ones, sums, 1, MPI_INTEGER, MPI_SUM, world, requests(i) IERROR)
    i = slot()
    CALL(Ibcast)(root_value, 1, MPI_INTEGER, 0, world, requests(i) IERROR)
    call post_receive(MPI_PROC_NULL, 3, world)
    call post_send(mode_synchronous, 4, right, 1, world)
    call post_send(mode_standard, 8, left, 2, world)
    call complete(way, ignore)
    call expect(sums(1) == ranks .and. root_value(1) == 42, 'collectives among other requests')
    CALL(Request_free)(inactive IERROR)
    call barrier()
  end subroutine mix

  subroutine make_persistent(receives, sends)
    HANDLE(MPI_Request) :: receives(5), sends(5)
    integer :: i, source
    do i = 1, 5
      source = left
      if (i == 5) source = MPI_ANY_SOURCE
      call write_letter(letter(:, 5 + i), header + i, 80 + i)
      source_asked(i) = source
      CALL(Recv_init)(letter(:, i), longest, MPI_INTEGER, source, 80 + i, world, receives(i) IERROR)
    end do
    CALL(Send_init)(letter(:, 6), header + 1, MPI_INTEGER, right, 81, world, sends(1) IERROR)
    CALL(Bsend_init)(letter(:, 7), header + 2, MPI_INTEGER, right, 82, world, sends(2) IERROR)
    CALL(Ssend_init)(letter(:, 8), header + 3, MPI_INTEGER, right, 83, world, sends(3) IERROR)
    CALL(Rsend_init)(letter(:, 9), header + 4, MPI_INTEGER, right, 84, world, sends(4) IERROR)
    CALL(Send_init)(letter(:, 10), header + 5, MPI_INTEGER, right, 85, world, sends(5) IERROR)
  end subroutine make_persistent

  ! One slot after the other is a receive and a send; started one by one, and together.
  subroutine persistent()
    integer :: round, i
    HANDLE(MPI_Request) :: receives(5), sends(5)
    call make_persistent(receives, sends)
    do round = 1, ways
      do i = 1, 5
        call expect_letter(i, source_asked(i), 80 + i, world)
        requests(i) = receives(i)
        if (mod(round, 2) == 0) then
          CALL(Start)(requests(i) IERROR)
        end if
      end do
      if (mod(round, 2) == 1) then
        CALL(Startall)(5, requests IERROR)
      end if
      call barrier()
      do i = 1, 5
        is_receive(5 + i) = .false.
        requests(5 + i) = sends(i)
        call book_sent(world, right, int_bytes*(header + i))
        if (mod(round, 2) == 0) then
          CALL(Start)(requests(5 + i) IERROR)
        end if
      end do
      if (mod(round, 2) == 1) then
        CALL(Startall)(5, requests(6:10) IERROR)
      end if
      pending = 10
      call complete(round, mod(round, 3) == 0)
    end do
    do i = 1, 5
      CALL(Request_free)(receives(i) IERROR)
      CALL(Request_free)(sends(i) IERROR)
    end do
  end subroutine persistent

  ! Nobody sends what these wait for; the persistent one receives a letter afterwards.
  subroutine cancelled()
    HANDLE(MPI_Request) :: request
    STATUS(status)
    logical :: flag
    in = -1
    CALL(Irecv)(in, longest, MPI_INTEGER, MPI_ANY_SOURCE, 90, world, request IERROR)
    CALL(Cancel)(request IERROR)
    CALL(Wait)(request, status IERROR)
    CALL(Test_cancelled)(status, flag IERROR)
    call expect(flag, 'it was cancelled')
    call receive_with_status(in, world, status)
    CALL(Recv_init)(in, longest, MPI_INTEGER, left, 91, world, request IERROR)
    CALL(Start)(request IERROR)
    CALL(Cancel)(request IERROR)
    CALL(Wait)(request, MPI_STATUS_IGNORE IERROR)
    call barrier()
    CALL(Start)(request IERROR)
    call write_letter(out, 6, 91)
    call send_letter(mode_standard, out, right, world)
    CALL(Wait)(request, status IERROR)
    call receive_with_status(in, world, status)
    CALL(Request_free)(request IERROR)
  end subroutine cancelled

  subroutine asked_about()
    logical :: flag
    STATUS(status)
    call post_receive(left, 92, world)
    CALL(Request_get_status)(requests(1), flag, MPI_STATUS_IGNORE IERROR)
    call post_send(mode_standard, longest, right, 92, world)
    flag = .false.
    do while (.not. flag)
      CALL(Request_get_status)(requests(1), flag, status IERROR)
    end do
    call expect(SOURCE_OF(status) == left .and. requests(1) /= MPI_REQUEST_NULL, 'a request that is done')
    call complete(4, .false.)
  end subroutine asked_about

  subroutine generalized_ones()
    integer :: items
    integer(kind=MPI_ADDRESS_KIND), save :: state = 0
    HANDLE(MPI_Request) :: request
    STATUS(status)
    CALL(Grequest_start)(query, release, cancel, state, request IERROR)
    CALL(Grequest_complete)(request IERROR)
    CALL(Wait)(request, status IERROR)
    CALL(Get_count)(status, MPI_INTEGER, items IERROR)
    call expect(items == 5 .and. released == 1, 'a generalized request')
  end subroutine generalized_ones
end module requested
