#include "binding.h"
! Counts calls, keeps an account of point-to-point messages as account.h does in C, and hands on the binding of MPI.
module account
#if defined(WITH_F08)
  use, intrinsic :: iso_c_binding, only: c_ptr
  use mpi_f08
#elif defined(WITH_MODULE)
  use mpi
#endif
  implicit none
#if defined(WITH_MPIFH)
  include 'mpif.h'
#endif
  integer, parameter :: long = selected_int_kind(18), most_names = 512, most_ranks = 256, int_bytes = 4
  character(len=40) :: names(most_names)
  integer :: calls(most_names) = 0, used_names = 0
  integer(kind=long) :: sent_bytes(0:most_ranks) = 0, received_bytes(0:most_ranks) = 0
  integer :: sent_messages(0:most_ranks) = 0, received_messages(0:most_ranks) = 0
  integer :: my_rank, all_ranks, checksum = 0, wrong_values = 0
  character, save, target :: buffer(65536)
#if !defined(WITH_F08)
  integer :: error
#endif
contains
  subroutine did(name)
    character(len=*), intent(in) :: name
    integer :: i
    do i = 1, used_names
      if (names(i) == name) exit
    end do
    if (i > used_names) then
      used_names = i
      names(i) = name
    end if
    calls(i) = calls(i) + 1
  end subroutine did

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    wrong_values = wrong_values + 1
    if (wrong_values < 10) write (0, '(a,i0,2a)') 'rank ', my_rank, ': not so: ', what
  end subroutine expect

  integer function world_rank(comm, rank)
    HANDLE(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: rank
    HANDLE(MPI_Group) :: group, world
    logical :: is_inter
    integer :: there(1)
    CALL(Comm_test_inter)(comm, is_inter IERROR)
    if (is_inter) then
      CALL(Comm_remote_group)(comm, group IERROR)
    else
      CALL(Comm_group)(comm, group IERROR)
    end if
    CALL(Comm_group)(MPI_COMM_WORLD, world IERROR)
    CALL(Group_translate_ranks)(group, 1, (/rank/), world, there IERROR)
    CALL(Group_free)(world IERROR)
    CALL(Group_free)(group IERROR)
    world_rank = there(1)
  end function world_rank

  subroutine book_sent(comm, dest, bytes)
    HANDLE(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: dest, bytes
    integer :: there
    if (dest == MPI_PROC_NULL) return
    there = world_rank(comm, dest)
    sent_bytes(there) = sent_bytes(there) + bytes
    sent_messages(there) = sent_messages(there) + 1
  end subroutine book_sent

  subroutine book_received(comm, source, bytes)
    HANDLE(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: source, bytes
    integer :: there
    if (source == MPI_PROC_NULL) return
    there = world_rank(comm, source)
    received_bytes(there) = received_bytes(there) + bytes
    received_messages(there) = received_messages(there) + 1
  end subroutine book_received

  subroutine book_received_status(comm, status)
    HANDLE(MPI_Comm), intent(in) :: comm
    STATUS(status)
    logical :: cancelled
    integer :: bytes
    CALL(Test_cancelled)(status, cancelled IERROR)
    if (cancelled) return
    CALL(Get_elements)(status, MPI_BYTE, bytes IERROR)
    call book_received(comm, SOURCE_OF(status), bytes)
  end subroutine book_received_status

  subroutine open_account()
    CALL(Comm_rank)(MPI_COMM_WORLD, my_rank IERROR)
    CALL(Comm_size)(MPI_COMM_WORLD, all_ranks IERROR)
    call expect(all_ranks <= most_ranks, 'there are few ranks')
    CALL(Buffer_attach)(buffer, size(buffer) IERROR)
  end subroutine open_account

  subroutine finalize()
    integer :: bytes, own(1), total(1)
#if defined(WITH_F08)
    type(c_ptr) :: detached
    CALL(Buffer_detach)(detached, bytes)
#else
    character :: detached(64)
    CALL(Buffer_detach)(detached, bytes, error)
#endif
    own = checksum
    total = 0
    CALL(Reduce)(own, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD IERROR)
    if (my_rank == 0) print '(a,i0)', 'checksum ', total(1)
    CALL(Finalize)(ONLY_IERROR)
  end subroutine finalize

  subroutine write_account(directory)
    character(len=*), intent(in) :: directory
    integer :: i
    character(len=16) :: number
    write (number, '(i0)') my_rank
    open (unit=7, file=directory//'/calls.'//trim(number), status='replace')
    do i = 1, used_names
      write (7, '(a,1x,i0)') trim(names(i)), calls(i)
    end do
    close (7)
    open (unit=7, file=directory//'/traffic.'//trim(number), status='replace')
    do i = 0, most_ranks
      if (sent_messages(i) > 0) write (7, '(a,3(1x,i0))') 'sent', i, sent_bytes(i), sent_messages(i)
      if (received_messages(i) > 0) write (7, '(a,3(1x,i0))') 'received', i, received_bytes(i), received_messages(i)
    end do
    close (7)
    if (wrong_values > 0) stop 1
  end subroutine write_account
end module account
