! A Fortran program that fires events of a region controller, and listens to them.
module listening
    use, intrinsic :: iso_c_binding
    implicit none
contains
    subroutine listen(data, event, tid, bcast) bind(c)
        type(c_ptr), value :: data
        integer(c_int), value :: event, bcast
        integer(c_int32_t), value :: tid
        integer, pointer :: number
        call c_f_pointer(data, number)
        print '(4(i0, 1x))', number, event, tid, bcast
        flush (6)
    end subroutine
end module

program regions
    use ovni_control
    use listening
    implicit none
    integer, target :: number = 42
    logical :: is_taken
    ! The listener prints, too, so nothing is called while something is printed.
    is_taken = ovni_control_listen(listen, c_loc(number))
    print '(l1)', is_taken
    is_taken = ovni_control_fire(ovni_control_stop, bcast=.true.)
    print '(l1)', is_taken
    is_taken = ovni_control_fire(ovni_control_start, ovni_control_this_thread)
    print '(l1)', is_taken
    is_taken = ovni_control_fire(ovni_control_threadid, address=c_loc(number))
    print '(l1)', is_taken
end program
