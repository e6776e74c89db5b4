! Usage: large_f08 DIRECTORY. Calls routines with counts of MPI_COUNT_KIND, and writes DIRECTORY/calls.RANK.
program large_f08
    use mpi_f08
    implicit none
    integer, parameter :: values = 5, tag = 7
    integer(MPI_COUNT_KIND), parameter :: count = values, huge_count = 5368709123_MPI_COUNT_KIND
    integer, asynchronous :: mine(values), got(values)
    integer :: rank, ranks, left, right, i, unit, all_of_them(64)
    integer(MPI_COUNT_KIND) :: length, ones(64)
    integer(MPI_ADDRESS_KIND) :: places(64)
    character(len=1) :: byte = "x"
    character(len=1000) :: directory, name
    type(MPI_Request) :: request
    type(MPI_Status) :: status

    call MPI_Init()
    call get_command_argument(1, directory)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    mine = [(100 * rank + i, i=1, values)]

    call MPI_Irecv(got, count, MPI_INTEGER, left, tag, MPI_COMM_WORLD, request)
    call MPI_Send(mine, count, MPI_INTEGER, right, tag, MPI_COMM_WORLD)
    call MPI_Wait(request, status)
    call expect(all(got == [(100 * left + i, i=1, values)]))
    call MPI_Get_count(status, MPI_INTEGER, length)
    call expect(length == count)

    call MPI_Isend(mine, values, MPI_INTEGER, right, tag, MPI_COMM_WORLD, request)
    call MPI_Recv(got, count, MPI_INTEGER, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Isend(mine, count, MPI_INTEGER, right, tag, MPI_COMM_WORLD, request)
    call MPI_Recv(got, values, MPI_INTEGER, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(mine, count, MPI_INTEGER, right, tag, got, count, MPI_INTEGER, left, tag, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE)
    call MPI_Isendrecv(mine, count, MPI_INTEGER, right, tag, got, count, MPI_INTEGER, left, tag, MPI_COMM_WORLD, &
        request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Isendrecv(mine, values, MPI_INTEGER, right, tag, got, values, MPI_INTEGER, left, tag, MPI_COMM_WORLD, &
        request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)

    got = mine
    call MPI_Bcast(got, count, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call expect(all(got == [(i, i=1, values)]))
    call MPI_Allreduce(MPI_IN_PLACE, got, count, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    ones = 1
    places = [(int(i, MPI_ADDRESS_KIND), i=0, 63)]
    call MPI_Allgatherv(rank, ones(1), MPI_INTEGER, all_of_them, ones, places, MPI_INTEGER, MPI_COMM_WORLD)
    call expect(all(all_of_them(:ranks) == [(i, i=0, ranks - 1)]))

    call MPI_Send(byte, huge_count, MPI_CHARACTER, MPI_PROC_NULL, tag, MPI_COMM_WORLD)
    call MPI_Bcast(byte, huge_count, MPI_CHARACTER, 0, MPI_COMM_SELF)
    call MPI_Finalize()

    write (name, "(a, a, i0)") trim(directory), "/calls.", rank
    open (newunit=unit, file=name)
    write (unit, "(a, i2)") "MPI_Init", 1, "MPI_Finalize", 1, "MPI_Comm_rank", 1, "MPI_Comm_size", 1, &
        "MPI_Send_c", 2, "MPI_Irecv_c", 1, "MPI_Wait", 5, "MPI_Get_count_c", 1, "MPI_Isend", 1, "MPI_Isend_c", 1, &
        "MPI_Recv", 1, "MPI_Recv_c", 1, "MPI_Sendrecv_c", 1, "MPI_Isendrecv", 1, "MPI_Isendrecv_c", 1, &
        "MPI_Bcast_c", 2, "MPI_Allreduce_c", 1, "MPI_Allgatherv_c", 1
    close (unit)

contains

    subroutine expect(holds)
        logical, intent(in) :: holds

        if (.not. holds) error stop 1
    end subroutine
end program
