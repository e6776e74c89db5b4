! Regions from inside of a program, as ovni/control.h: compile this file with the program. There is nothing
! to link with: without the tracer the functions do nothing, and return .false.
module ovni_control
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: ovni_control_fire, ovni_control_listen

    enum, bind(c)
        enumerator :: ovni_control_start = 0, ovni_control_stop = 1, ovni_control_threadid = 2
    end enum
    public :: ovni_control_start, ovni_control_stop, ovni_control_threadid
    integer(c_int32_t), parameter, public :: ovni_control_this_thread = -1

    abstract interface
        ! The argument of ovni_control_listen.
        subroutine ovni_control_listener(data, event, tid, bcast) bind(c)
            import :: c_ptr, c_int, c_int32_t
            type(c_ptr), value :: data
            integer(c_int), value :: event, bcast
            integer(c_int32_t), value :: tid
        end subroutine
        function fire_event(event, tid, bcast) bind(c)
            import :: c_int, c_int32_t
            integer(c_int), value :: event, bcast
            integer(c_int32_t), value :: tid
            integer(c_int) :: fire_event
        end function
        function fire_event_at(event, context, address, tid, bcast) bind(c)
            import :: c_int, c_int32_t, c_ptr
            integer(c_int), value :: event, bcast
            type(c_ptr), value :: context, address
            integer(c_int32_t), value :: tid
            integer(c_int) :: fire_event_at
        end function
        function add_listener(listener, data) bind(c)
            import :: c_funptr, c_ptr, c_int
            type(c_funptr), value :: listener
            type(c_ptr), value :: data
            integer(c_int) :: add_listener
        end function
    end interface
    public :: ovni_control_listener

    interface
        function dlsym(handle, name) bind(c)
            import :: c_ptr, c_char, c_funptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr) :: dlsym
        end function
    end interface

contains

    ! context and address are those of ovni_control_fire_at().
    function ovni_control_fire(event, tid, bcast, context, address) result(is_taken)
        integer, intent(in) :: event
        integer(c_int32_t), intent(in), optional :: tid
        logical, intent(in), optional :: bcast
        type(c_ptr), intent(in), optional :: context, address
        logical :: is_taken
        procedure(fire_event), pointer :: function
        procedure(fire_event_at), pointer :: function_at
        type(c_ptr) :: registers, place
        type(c_funptr) :: found
        integer(c_int32_t) :: thread
        integer(c_int) :: is_for_all
        is_taken = .false.
        found = dlsym(c_null_ptr, "ovni_control_fire_event" // c_null_char)
        if (.not. c_associated(found)) return
        call c_f_procpointer(found, function)
        thread = ovni_control_this_thread
        if (present(tid)) thread = tid
        is_for_all = 0
        if (present(bcast)) is_for_all = merge(1, 0, bcast)
        found = c_null_funptr
        if (present(context) .or. present(address)) found = dlsym(c_null_ptr, "ovni_control_fire_event_at" // c_null_char)
        if (c_associated(found)) then
            registers = c_null_ptr
            place = c_null_ptr
            if (present(context)) registers = context
            if (present(address)) place = address
            call c_f_procpointer(found, function_at)
            is_taken = function_at(int(event, c_int), registers, place, thread, is_for_all) /= 0
            return
        end if
        is_taken = function(int(event, c_int), thread, is_for_all) /= 0
    end function

    function ovni_control_listen(listener, data) result(is_taken)
        procedure(ovni_control_listener) :: listener
        type(c_ptr), intent(in), optional :: data
        logical :: is_taken
        procedure(add_listener), pointer :: function
        type(c_funptr) :: found
        type(c_ptr) :: argument
        is_taken = .false.
        found = dlsym(c_null_ptr, "ovni_control_add_listener" // c_null_char)
        if (.not. c_associated(found)) return
        call c_f_procpointer(found, function)
        argument = c_null_ptr
        if (present(data)) argument = data
        is_taken = function(c_funloc(listener), argument) /= 0
    end function
end module
