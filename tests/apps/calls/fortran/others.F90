#include "binding.h"
! Other calls of a program: strings, types, packing, and callbacks in Fortran.
module callbacks
  use account
  implicit none
  integer :: errors_seen = 0, deleted = 0
contains
#if defined(WITH_F08)
  subroutine larger(invec, inoutvec, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, (/length/))
    call c_f_pointer(inoutvec, b, (/length/))
    b = max(a, b)
  end subroutine larger

  subroutine see_error(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    errors_seen = errors_seen + 1
  end subroutine see_error
#else
  subroutine larger(a, b, length, datatype)
    integer :: length, datatype, a(length), b(length)
    b = max(a, b)
  end subroutine larger

  subroutine see_error(comm, code)
    integer :: comm, code
    errors_seen = errors_seen + 1
  end subroutine see_error
#endif

  subroutine copy_attribute(comm, key, state, old, new, flag, ierror)
    HANDLE(MPI_Comm) :: comm
    integer :: key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: state, old, new
    logical :: flag
    new = old + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine copy_attribute

  subroutine delete_attribute(comm, key, value, state, ierror)
    HANDLE(MPI_Comm) :: comm
    integer :: key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, state
    deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine delete_attribute
end module callbacks

module others
  use messages
  use callbacks
  implicit none
contains
  subroutine exercise_others(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    call enter(comm)
    call strings()
    call types()
    call packing()
    call operations()
    call attributes()
    call errors()
  end subroutine exercise_others

  subroutine strings()
    character(len=MPI_MAX_PROCESSOR_NAME) :: name
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    character(len=32) :: value
    character(len=MPI_MAX_ERROR_STRING) :: text
    HANDLE(MPI_Info) :: info
    integer :: length
    logical :: flag
    CALL(Get_processor_name)(name, length IERROR)
    call expect(length > 0 .and. len_trim(name) == length, 'the name of the processor')
    CALL(Get_library_version)(version, length IERROR)
    call expect(length > 0, 'the version of the library')
    CALL(Error_string)(MPI_ERR_RANK, text, length IERROR)
    call expect(len_trim(text) == length, 'the text of an error')
    CALL(Info_create)(info IERROR)
    CALL(Info_set)(info, 'some key', ' some value  ' IERROR)
    CALL(Info_get)(info, 'some key', len(value), value, flag IERROR)
    call expect(flag .and. value == 'some value', 'a value of an info')
    CALL(Info_free)(info IERROR)
  end subroutine strings

  subroutine types()
    HANDLE(MPI_Datatype) :: pair
    integer :: bytes, length
    integer(kind=MPI_ADDRESS_KIND) :: places(2), lower, extent
    character(len=MPI_MAX_OBJECT_NAME) :: name
    places = (/0, 8/)
    CALL(Type_create_struct)(2, (/1, 1/), places, (/MPI_INTEGER, MPI_DOUBLE_PRECISION/), pair IERROR)
    CALL(Type_commit)(pair IERROR)
    CALL(Type_set_name)(pair, 'a pair' IERROR)
    CALL(Type_get_name)(pair, name, length IERROR)
    CALL(Type_size)(pair, bytes IERROR)
    CALL(Type_get_extent)(pair, lower, extent IERROR)
    call expect(name == 'a pair' .and. bytes == 12 .and. extent == 16, 'a type')
    CALL(Type_free)(pair IERROR)
  end subroutine types

  subroutine packing()
    character :: bytes(64)
    integer :: place
    place = 0
    in = 0
    call write_letter(out, 4, 1)
    CALL(Pack)(out, 4, MPI_INTEGER, bytes, size(bytes), place, world IERROR)
    call expect(place == 4*int_bytes, 'the size of what is packed')
    place = 0
    CALL(Unpack)(bytes, size(bytes), place, in, 4, MPI_INTEGER, world IERROR)
    call expect(all(in(1:4) == out(1:4)), 'what was packed')
  end subroutine packing

  subroutine operations()
    HANDLE(MPI_Op) :: op
    integer :: own(2), largest(2)
    logical :: commutes
    own = (/me, -me/)
    CALL(Op_create)(larger, .true., op IERROR)
    CALL(Op_commutative)(op, commutes IERROR)
    CALL(Allreduce)(own, largest, 2, MPI_INTEGER, op, world IERROR)
    call expect(commutes .and. all(largest == (/ranks - 1, 0/)), 'an operation of our own')
    CALL(Op_free)(op IERROR)
  end subroutine operations

  subroutine attributes()
    integer :: key
    integer(kind=MPI_ADDRESS_KIND) :: state, value
    HANDLE(MPI_Comm) :: copy
    logical :: flag
    state = 0
    value = 41
    CALL(Comm_create_keyval)(copy_attribute, delete_attribute, key, state IERROR)
    CALL(Comm_set_attr)(world, key, value IERROR)
    CALL(Comm_dup)(world, copy IERROR)
    CALL(Comm_get_attr)(copy, key, value, flag IERROR)
    call expect(flag .and. value == 42, 'an attribute that was copied')
    CALL(Comm_free)(copy IERROR)
    CALL(Comm_delete_attr)(world, key IERROR)
    CALL(Comm_free_keyval)(key IERROR)
    call expect(deleted == 2, 'attributes that were deleted')
  end subroutine attributes

  ! A call that fails comes back, and its message was not sent.
  subroutine errors()
    HANDLE(MPI_Comm) :: own
    HANDLE(MPI_Errhandler) :: handler
    integer :: code, class
    CALL(Comm_dup)(world, own IERROR)
    CALL(Comm_create_errhandler)(see_error, handler IERROR)
    CALL(Comm_set_errhandler)(own, handler IERROR)
    CALL(Errhandler_free)(handler IERROR)
    CALL(Comm_call_errhandler)(own, MPI_ERR_OTHER IERROR)
    call expect(errors_seen == 1, 'a handler of errors')
    CALL(Comm_set_errhandler)(own, MPI_ERRORS_RETURN IERROR)
    CALL(Send)(out, 1, MPI_INTEGER, ranks, 1, own, code)
    CALL(Error_class)(code, class IERROR)
    call expect(class == MPI_ERR_RANK, 'an error')
    CALL(Comm_free)(own IERROR)
  end subroutine errors
end module others
