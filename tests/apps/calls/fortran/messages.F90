#include "binding.h"
! Messages in all modes, to nobody, of types, exchanged, from anybody, and looked for before they are received.
module messages
  use completion
  implicit none
  integer, parameter :: lengths(4) = (/0, header, 17, longest/)
  integer :: me, ranks, left, right
  HANDLE(MPI_Comm) :: world
contains
  subroutine exercise_messages(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    integer :: mode
    call enter(comm)
    do mode = 1, modes
      call blocking(mode)
      call posted(mode)
    end do
    call nobody()
    call strided()
    call exchanges()
    call line()
    call wildcards()
    call probes()
  end subroutine exercise_messages

  subroutine enter(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    world = comm
    CALL(Comm_rank)(comm, me IERROR)
    CALL(Comm_size)(comm, ranks IERROR)
    right = mod(me + 1, ranks)
    left = mod(me + ranks - 1, ranks)
  end subroutine enter

  ! Ready sends find their receives behind it, and wildcards only what was sent before it.
  subroutine barrier()
    CALL(Barrier)(world IERROR)
  end subroutine barrier

  subroutine blocking(mode)
    integer, intent(in) :: mode
    integer :: i
    do i = 1, size(lengths)
      call post_receive(left, 10 + mode, world)
      call barrier()
      call write_letter(out, lengths(i), 10 + mode)
      call send_letter(mode, out, right, world)
      call complete(1, mod(i, 2) == 0)
    end do
  end subroutine blocking

  subroutine posted(mode)
    integer, intent(in) :: mode
    integer :: i
    do i = 1, size(lengths)
      call post_receive(left, 20 + i, world)
    end do
    call barrier()
    do i = 1, size(lengths)
      call post_send(mode, lengths(i), right, 20 + i, world)
    end do
    call complete(2, mod(mode, 2) == 0)
  end subroutine posted

  subroutine nobody()
    integer :: mode
    STATUS(status)
    do mode = 1, modes
      call write_letter(out, 5, 30)
      call send_letter(mode, out, MPI_PROC_NULL, world)
      call post_send(mode, 5, MPI_PROC_NULL, 30, world)
    end do
    call post_receive(MPI_PROC_NULL, 30, world)
    call complete(2, .false.)
    in = -1
    CALL(Recv)(in, longest, MPI_INTEGER, MPI_PROC_NULL, MPI_ANY_TAG, world, status IERROR)
    call receive_with_status(in, world, status)
    call expect(SOURCE_OF(status) == MPI_PROC_NULL, 'nobody is the source')
  end subroutine nobody

  ! Every second integer of an array, received as a sequence.
  subroutine strided()
    integer :: i
    HANDLE(MPI_Datatype) :: every_second
    STATUS(status)
    out = (/(my_rank + i, i=1, longest)/)
    in = -1
    CALL(Type_vector)(10, 1, 2, MPI_INTEGER, every_second IERROR)
    CALL(Type_commit)(every_second IERROR)
    CALL(Irecv)(in, longest, MPI_INTEGER, left, 31, world, requests(1) IERROR)
    call book_sent(world, right, 10*int_bytes)
    CALL(Send)(out, 1, every_second, right, 31, world IERROR)
    CALL(Wait)(requests(1), status IERROR)
    call book_received_status(world, status)
    call expect(in(10) == world_rank(world, left) + 19 .and. in(11) == -1, 'every second integer')
    CALL(Type_free)(every_second IERROR)
  end subroutine strided

  subroutine exchanges()
    STATUS(status)
    call write_letter(out, 20, 40)
    in = -1
    call book_sent(world, right, 20*int_bytes)
    CALL(Sendrecv)(out, 20, MPI_INTEGER, right, 40, in, longest, MPI_INTEGER, left, 40, world, status IERROR)
    call receive_with_status(in, world, status)
    call barrier()
    in = -1
    call book_sent(world, left, 20*int_bytes)
    CALL(Sendrecv)(out, 20, MPI_INTEGER, left, 40, in, longest, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE IERROR)
    call receive_without_status(in, world, MPI_ANY_SOURCE)
    call barrier()
    call write_letter(in, longest, 41)
    call book_sent(world, right, longest*int_bytes)
    CALL(Sendrecv_replace)(in, longest, MPI_INTEGER, right, 41, left, 41, world, status IERROR)
    call receive_with_status(in, world, status)
    call write_letter(in, longest, 42)
    call book_sent(world, right, longest*int_bytes)
    CALL(Sendrecv_replace)(in, longest, MPI_INTEGER, right, 42, left, 42, world, MPI_STATUS_IGNORE IERROR)
    call receive_without_status(in, world, left)
  end subroutine exchanges

  ! Not a ring: the ends have a neighbour less.
  subroutine line()
    integer :: before, behind
    STATUS(status)
    before = left
    if (me == 0) before = MPI_PROC_NULL
    behind = right
    if (me == ranks - 1) behind = MPI_PROC_NULL
    call write_letter(out, 8, 43)
    in = -1
    call book_sent(world, behind, 8*int_bytes)
    CALL(Sendrecv)(out, 8, MPI_INTEGER, behind, 43, in, longest, MPI_INTEGER, before, 43, world, status IERROR)
    call receive_with_status(in, world, status)
  end subroutine line

  ! Rank 0 hears of the others in any order.
  subroutine wildcards()
    integer :: kind, tag, i
    logical :: ignore
    do kind = 1, ways
      ignore = mod(kind, 2) == 0
      tag = 50 + kind
      if (kind > 4) tag = MPI_ANY_TAG
      call barrier()
      if (me /= 0) then
        call post_send(1 + mod(kind, 3), header + kind, 0, 50 + kind, world)
      else if (mod(kind, 4) > 1) then
        do i = 1, min(ranks - 1, slots)
          call post_receive(MPI_ANY_SOURCE, tag, world)
        end do
      else
        do i = 1, min(ranks - 1, slots)
          call receive_any(tag, ignore)
        end do
      end if
      call complete(kind, ignore)
    end do
    call barrier()
  end subroutine wildcards

  subroutine receive_any(tag, ignore)
    integer, intent(in) :: tag
    logical, intent(in) :: ignore
    STATUS(status)
    in = -1
    if (ignore) then
      CALL(Recv)(in, longest, MPI_INTEGER, MPI_ANY_SOURCE, tag, world, MPI_STATUS_IGNORE IERROR)
      call receive_without_status(in, world, MPI_ANY_SOURCE)
    else
      CALL(Recv)(in, longest, MPI_INTEGER, MPI_ANY_SOURCE, tag, world, status IERROR)
      call receive_with_status(in, world, status)
    end if
  end subroutine receive_any

  subroutine probes()
    integer :: way
    logical :: flag
    CALL(Iprobe)(MPI_ANY_SOURCE, 60, world, flag, MPI_STATUS_IGNORE IERROR)
    call expect(.not. flag, 'nothing is there')
    do way = 1, 4
      call probe(way, left, 60 + way, longest)
      call probe(way, left, MPI_ANY_TAG, 0)
      call barrier()
      call probe(way, MPI_ANY_SOURCE, MPI_ANY_TAG, 11)
      call barrier()
    end do
  end subroutine probes

  subroutine probe(way, source, tag, length)
    integer, intent(in) :: way, source, tag, length
    integer :: found, sender, tag_found
    logical :: flag
    STATUS(status)
    HANDLE(MPI_Message) :: message
    call post_send(mode_standard, length, right, 60 + way, world)
    flag = .false.
    select case (way)
    case (1)
      CALL(Probe)(source, tag, world, status IERROR)
    case (2)
      do while (.not. flag)
        CALL(Iprobe)(source, tag, world, flag, status IERROR)
      end do
    case (3)
      CALL(Mprobe)(source, tag, world, message, status IERROR)
    case default
      do while (.not. flag)
        CALL(Improbe)(source, tag, world, flag, message, status IERROR)
      end do
    end select
    CALL(Get_count)(status, MPI_INTEGER, found IERROR)
    call expect(found == length, 'a letter as long as the one that was sent')
    sender = SOURCE_OF(status)
    tag_found = TAG_OF(status)
    in = -1
    if (way < 3) then
      CALL(Recv)(in, longest, MPI_INTEGER, sender, tag_found, world, status IERROR)
    else if (way == 3) then
      CALL(Mrecv)(in, longest, MPI_INTEGER, message, status IERROR)
    else
      call fetch(message, status)
    end if
    call receive_with_status(in, world, status)
    call complete(way, .false.)
  end subroutine probe

  subroutine fetch(message, status)
    HANDLE(MPI_Message) :: message
    STATUS(status)
    HANDLE(MPI_Request) :: request
    CALL(Imrecv)(in, longest, MPI_INTEGER, message, request IERROR)
    CALL(Wait)(request, status IERROR)
  end subroutine fetch
end module messages
