#include "binding.h"
! Messages whose content says who sent them and how long they are, and requests that are under way together: as letters.h in C.
! Data that MPI writes to later is in variables of the module, so that the compiler expects it to change.
module letters
  use account
  implicit none
  integer, parameter :: header = 3, longest = 40, slots = 16
  integer, parameter :: ways = 8, mode_standard = 1, mode_buffered = 2, mode_synchronous = 3, mode_ready = 4, modes = 4
  integer :: pending = 0
  HANDLE(MPI_Request) :: requests(slots)
  integer :: letter(longest, slots), source_asked(slots), tag_asked(slots)
  logical :: is_receive(slots) = .false.
  HANDLE(MPI_Comm) :: comm_of(slots)
  integer :: in(longest), out(longest)
contains
  subroutine write_letter(ints, length, tag)
    integer, intent(out) :: ints(longest)
    integer, intent(in) :: length, tag
    integer :: i
    ints = -1
    ints(1:header) = (/my_rank, length, tag/)
    do i = header + 1, length
      ints(i) = 1000*(my_rank + 1) + 10*i + mod(tag, 100)
    end do
  end subroutine write_letter

  ! Books a letter that arrived; what MPI tells of it, or what is known of it.
  subroutine receive_letter(ints, comm, source, tag, length)
    integer, intent(in) :: ints(longest), source, tag, length
    HANDLE(MPI_Comm), intent(in) :: comm
    integer :: i
    logical :: good
    good = (ints(1) == -1) .eqv. (length == 0)
    if (length > 0) then
      good = good .and. ints(2) == length .and. ints(3) == tag
      do i = header + 1, length
        good = good .and. ints(i) == 1000*(ints(1) + 1) + 10*i + mod(tag, 100)
      end do
      checksum = checksum + sum(ints(2:length))
      good = good .and. world_rank(comm, source) == ints(1)
    end if
    call expect(good, 'a letter as it was sent')
  end subroutine receive_letter

  subroutine receive_with_status(ints, comm, status)
    integer, intent(in) :: ints(longest)
    HANDLE(MPI_Comm), intent(in) :: comm
    STATUS(status)
    logical :: cancelled
    integer :: length
    CALL(Test_cancelled)(status, cancelled IERROR)
    if (cancelled) return
    CALL(Get_count)(status, MPI_INTEGER, length IERROR)
    call receive_letter(ints, comm, SOURCE_OF(status), TAG_OF(status), length)
    call book_received_status(comm, status)
  end subroutine receive_with_status

  subroutine receive_without_status(ints, comm, source)
    integer, intent(in) :: ints(longest), source
    HANDLE(MPI_Comm), intent(in) :: comm
    integer :: length
    length = 0
    if (ints(1) /= -1) length = ints(2)
    if (source == MPI_ANY_SOURCE) then
      call receive_letter(ints, MPI_COMM_WORLD, ints(1), ints(3), length)
      call book_received(MPI_COMM_WORLD, ints(1), int_bytes*length)
    else
      call receive_letter(ints, comm, source, ints(3), length)
      call book_received(comm, source, int_bytes*length)
    end if
  end subroutine receive_without_status

  subroutine send_letter(mode, ints, dest, comm)
    integer, intent(in) :: mode, ints(longest), dest
    HANDLE(MPI_Comm), intent(in) :: comm
    call book_sent(comm, dest, int_bytes*ints(2))
    select case (mode)
    case (mode_standard)
      CALL(Send)(ints, ints(2), MPI_INTEGER, dest, ints(3), comm IERROR)
    case (mode_buffered)
      CALL(Bsend)(ints, ints(2), MPI_INTEGER, dest, ints(3), comm IERROR)
    case (mode_synchronous)
      CALL(Ssend)(ints, ints(2), MPI_INTEGER, dest, ints(3), comm IERROR)
    case default
      CALL(Rsend)(ints, ints(2), MPI_INTEGER, dest, ints(3), comm IERROR)
    end select
  end subroutine send_letter

  ! A slot for a request of another kind.
  integer function slot()
    pending = pending + 1
    requests(pending) = MPI_REQUEST_NULL
    is_receive(pending) = .false.
    slot = pending
  end function slot

  subroutine expect_letter(i, source, tag, comm)
    integer, intent(in) :: i, source, tag
    HANDLE(MPI_Comm), intent(in) :: comm
    letter(:, i) = -1
    is_receive(i) = .true.
    source_asked(i) = source
    tag_asked(i) = tag
    comm_of(i) = comm
  end subroutine expect_letter

  subroutine post_receive(source, tag, comm)
    integer, intent(in) :: source, tag
    HANDLE(MPI_Comm), intent(in) :: comm
    integer :: i
    i = slot()
    call expect_letter(i, source, tag, comm)
    CALL(Irecv)(letter(:, i), longest, MPI_INTEGER, source, tag, comm, requests(i) IERROR)
  end subroutine post_receive

  subroutine post_send(mode, length, dest, tag, comm)
    integer, intent(in) :: mode, length, dest, tag
    HANDLE(MPI_Comm), intent(in) :: comm
    integer :: i
    i = slot()
    call write_letter(letter(:, i), length, tag)
    call book_sent(comm, dest, int_bytes*length)
    select case (mode)
    case (mode_standard)
      CALL(Isend)(letter(:, i), length, MPI_INTEGER, dest, tag, comm, requests(i) IERROR)
    case (mode_buffered)
      CALL(Ibsend)(letter(:, i), length, MPI_INTEGER, dest, tag, comm, requests(i) IERROR)
    case (mode_synchronous)
      CALL(Issend)(letter(:, i), length, MPI_INTEGER, dest, tag, comm, requests(i) IERROR)
    case default
      CALL(Irsend)(letter(:, i), length, MPI_INTEGER, dest, tag, comm, requests(i) IERROR)
    end select
  end subroutine post_send

  subroutine completed(i, status)
    integer, intent(in) :: i
    STATUS(status)
    ! MPICH 4.0 says that a posted one from nobody comes from rank 0.
    if (is_receive(i) .and. source_asked(i) /= MPI_PROC_NULL) call receive_with_status(letter(:, i), comm_of(i), status)
    is_receive(i) = .false.
  end subroutine completed

  subroutine completed_unseen(i)
    integer, intent(in) :: i
    if (is_receive(i)) call receive_without_status(letter(:, i), comm_of(i), source_asked(i))
    is_receive(i) = .false.
  end subroutine completed_unseen
end module letters
