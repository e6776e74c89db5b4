! Starts one process of the program that it is told, "spawn child" for one, and meets it as that one does.
program spawn_f08
    use mpi_f08
    implicit none
    type(MPI_Comm) :: children, copy, all, part
    type(MPI_Info) :: info
    type(MPI_Request) :: letter
    character(1000) :: command
    character(8) :: words(2) = ["child   ", "        "]
    integer :: i

    call MPI_Init()
    call get_command_argument(1, command)
    call MPI_Info_create(info)
    call MPI_Info_set(info, "path", ".")
    call MPI_Comm_spawn(command, words, 1, info, 0, MPI_COMM_SELF, children, MPI_ERRCODES_IGNORE)
    call write_letters(children)
    call MPI_Comm_dup(children, copy)
    call write_letters(copy)
    call MPI_Intercomm_merge(children, .false., all)
    call pass_round(all)
    call MPI_Comm_rank(all, i)
    call MPI_Comm_split(all, mod(i, 2), -i, part)
    call pass_round(part)
    call MPI_Comm_free(part)
    call MPI_Comm_free(all)
    call MPI_Comm_free(copy)
    call MPI_Comm_disconnect(children)
    call MPI_Info_free(info)
    call MPI_Finalize()

contains

    subroutine write_letters(inter)
        type(MPI_Comm), intent(in) :: inter
        integer, asynchronous :: number
        integer :: answer

        answer = 43
        call MPI_Irecv(number, 1, MPI_INTEGER, 0, 3, inter, letter)
        call MPI_Send(answer, 1, MPI_INTEGER, 0, 3, inter)
        call MPI_Wait(letter, MPI_STATUS_IGNORE)
        if (number /= 43) error stop 1
    end subroutine

    subroutine pass_round(comm)
        type(MPI_Comm), intent(in) :: comm
        integer :: rank, ranks, number

        call MPI_Comm_rank(comm, rank)
        call MPI_Comm_size(comm, ranks)
        number = rank
        call MPI_Sendrecv_replace(number, 1, MPI_INTEGER, mod(rank + 1, ranks), 7, mod(rank + ranks - 1, ranks), 7, &
            comm, MPI_STATUS_IGNORE)
        if (number /= mod(rank + ranks - 1, ranks)) error stop 1
    end subroutine
end program
