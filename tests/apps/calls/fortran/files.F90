#include "binding.h"
! Files: every way of writing and reading, each into its own part of DIRECTORY/data.
module files
  use messages
  implicit none
  integer, parameter :: cells = 4
  integer, save :: written(cells), found(cells)
  HANDLE(MPI_File) :: data
  HANDLE(MPI_Request) :: io
contains
  subroutine exercise_files(comm, directory)
    HANDLE(MPI_Comm), intent(in) :: comm
    character(len=*), intent(in) :: directory
    HANDLE(MPI_Info) :: info
    integer(kind=MPI_OFFSET_KIND) :: bytes
    call enter(comm)
    CALL(Info_create)(info IERROR)
    CALL(Info_set)(info, 'cb_nodes', '1' IERROR)
    CALL(File_open)(world, directory//'/data', MPI_MODE_CREATE + MPI_MODE_RDWR, info, data IERROR)
    CALL(Info_free)(info IERROR)
    bytes = 0
    CALL(File_set_view)(data, bytes, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL IERROR)
    call at_offsets()
    call at_own_pointer()
    call at_shared_pointer()
    bytes = place(20, 0)*int_bytes
    CALL(File_set_size)(data, bytes IERROR)
    bytes = 0
    CALL(File_get_size)(data, bytes IERROR)
    call expect(bytes == place(20, 0)*int_bytes, 'the size of a file')
    CALL(File_sync)(data IERROR)
    CALL(File_close)(data IERROR)
  end subroutine exercise_files

  ! In integers, of a rank in a part.
  integer(kind=MPI_OFFSET_KIND) function place(part, rank)
    integer, intent(in) :: part, rank
    place = (part*ranks + rank)*cells
  end function place

  subroutine prepare(part)
    integer, intent(in) :: part
    integer :: i
    written = (/(1000*me + 10*part + i, i=1, cells)/)
    found = -1
  end subroutine prepare

  subroutine check(part)
    integer, intent(in) :: part
    call expect(all(found == written), 'what was written')
    call prepare(part + 1)
  end subroutine check

  subroutine wait()
    STATUS(status)
    integer :: items
    CALL(Wait)(io, status IERROR)
    CALL(Get_count)(status, MPI_INTEGER, items IERROR)
    call expect(items == cells, 'all of what was written')
  end subroutine wait

  subroutine at_offsets()
    STATUS(status)
    call prepare(0)
    CALL(File_write_at)(data, place(0, me), written, cells, MPI_INTEGER, status IERROR)
    CALL(File_read_at)(data, place(0, me), found, cells, MPI_INTEGER, status IERROR)
    call check(0)
    CALL(File_write_at_all)(data, place(1, me), written, cells, MPI_INTEGER, MPI_STATUS_IGNORE IERROR)
    CALL(File_read_at_all)(data, place(1, me), found, cells, MPI_INTEGER, MPI_STATUS_IGNORE IERROR)
    call check(1)
    CALL(File_iwrite_at)(data, place(2, me), written, cells, MPI_INTEGER, io IERROR)
    call wait()
    CALL(File_iread_at)(data, place(2, me), found, cells, MPI_INTEGER, io IERROR)
    call wait()
    call check(2)
    CALL(File_iwrite_at_all)(data, place(3, me), written, cells, MPI_INTEGER, io IERROR)
    call wait()
    CALL(File_iread_at_all)(data, place(3, me), found, cells, MPI_INTEGER, io IERROR)
    call wait()
    call check(3)
    CALL(File_write_at_all_begin)(data, place(4, me), written, cells, MPI_INTEGER IERROR)
    CALL(File_write_at_all_end)(data, written, status IERROR)
    CALL(File_read_at_all_begin)(data, place(4, me), found, cells, MPI_INTEGER IERROR)
    CALL(File_read_at_all_end)(data, found, status IERROR)
    call check(4)
  end subroutine at_offsets

  subroutine seek(part)
    integer, intent(in) :: part
    CALL(File_seek)(data, place(part, me), MPI_SEEK_SET IERROR)
  end subroutine seek

  subroutine at_own_pointer()
    STATUS(status)
    call seek(5)
    CALL(File_write)(data, written, cells, MPI_INTEGER, status IERROR)
    call seek(5)
    CALL(File_read)(data, found, cells, MPI_INTEGER, status IERROR)
    call check(5)
    call seek(6)
    CALL(File_write_all)(data, written, cells, MPI_INTEGER, status IERROR)
    call seek(6)
    CALL(File_read_all)(data, found, cells, MPI_INTEGER, status IERROR)
    call check(6)
    call seek(7)
    CALL(File_iwrite)(data, written, cells, MPI_INTEGER, io IERROR)
    call wait()
    call seek(7)
    CALL(File_iread)(data, found, cells, MPI_INTEGER, io IERROR)
    call wait()
    call check(7)
    call seek(8)
    CALL(File_iwrite_all)(data, written, cells, MPI_INTEGER, io IERROR)
    call wait()
    call seek(8)
    CALL(File_iread_all)(data, found, cells, MPI_INTEGER, io IERROR)
    call wait()
    call check(8)
    call seek(9)
    CALL(File_write_all_begin)(data, written, cells, MPI_INTEGER IERROR)
    CALL(File_write_all_end)(data, written, status IERROR)
    call seek(9)
    CALL(File_read_all_begin)(data, found, cells, MPI_INTEGER IERROR)
    CALL(File_read_all_end)(data, found, status IERROR)
    call check(9)
  end subroutine at_own_pointer

  ! Nobody moves the shared pointer before all see it where it should be.
  subroutine seek_shared(part)
    integer, intent(in) :: part
    call barrier()
    CALL(File_seek_shared)(data, place(part, 0), MPI_SEEK_SET IERROR)
    call barrier()
  end subroutine seek_shared

  ! In the order of ranks, and in any: then a rank may read what another one wrote.
  subroutine at_shared_pointer()
    STATUS(status)
    integer :: difference(1), total(1), part
    call seek_shared(10)
    CALL(File_write_ordered)(data, written, cells, MPI_INTEGER, status IERROR)
    call seek_shared(10)
    CALL(File_read_ordered)(data, found, cells, MPI_INTEGER, status IERROR)
    call check(10)
    call seek_shared(11)
    CALL(File_write_ordered_begin)(data, written, cells, MPI_INTEGER IERROR)
    CALL(File_write_ordered_end)(data, written, status IERROR)
    call seek_shared(11)
    CALL(File_read_ordered_begin)(data, found, cells, MPI_INTEGER IERROR)
    CALL(File_read_ordered_end)(data, found, status IERROR)
    call check(11)
    do part = 12, 13
      call seek_shared(part)
      if (part == 12) then
        CALL(File_write_shared)(data, written, cells, MPI_INTEGER, status IERROR)
        call seek_shared(part)
        CALL(File_read_shared)(data, found, cells, MPI_INTEGER, status IERROR)
      else
        CALL(File_iwrite_shared)(data, written, cells, MPI_INTEGER, io IERROR)
        call wait()
        call seek_shared(part)
        CALL(File_iread_shared)(data, found, cells, MPI_INTEGER, io IERROR)
        call wait()
      end if
      difference = sum(found - written)
      CALL(Allreduce)(difference, total, 1, MPI_INTEGER, MPI_SUM, world IERROR)
      call expect(total(1) == 0, 'what all wrote')
    end do
  end subroutine at_shared_pointer
end module files
