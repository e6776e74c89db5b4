! Functions as gfortran names them: one of a module, one of its own, one inside of another.
module solvers
    implicit none
contains
    subroutine relax(field, change)
        real(8), intent(inout) :: field(:)
        real(8), intent(out) :: change
        change = sum(field) / size(field)
        field = field - change
    end subroutine
end module

subroutine exchange(value)
    implicit none
    integer, intent(inout) :: value
    value = value + 1
end subroutine

program main
    use solvers
    implicit none
    real(8) :: field(1000), change
    integer :: step, value
    external :: exchange
    field = [(step * 0.5d0, step = 1, 1000)]
    value = 0
    do step = 1, 100
        call relax(field, change)
        call exchange(value)
    end do
    print '(i0, 1x, f8.3)', value, change
end program
