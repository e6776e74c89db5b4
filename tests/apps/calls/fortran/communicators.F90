#include "binding.h"
! Communicators by every route, with letters and a collective on each.
module communicators
  use messages
  implicit none
  HANDLE(MPI_Comm) :: all
contains
  subroutine exercise_communicators(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    all = comm
    call use_comm(MPI_COMM_SELF)
    call duplicates()
    call enter(all)
    call freed_early()
    call parts()
    call of_groups()
    call with_topology()
    if (ranks > 1) call between_groups()
  end subroutine exercise_communicators

  subroutine use_comm(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    integer :: i, own, size, from, to, one(1), total(1)
    CALL(Comm_rank)(comm, own IERROR)
    CALL(Comm_size)(comm, size IERROR)
    to = mod(own + 1, size)
    from = mod(own + size - 1, size)
    call post_receive(from, 100, comm)
    if (own == 0) then
      do i = 1, size - 1
        call post_receive(MPI_ANY_SOURCE, 101, comm)
      end do
    else
      call post_send(mode_synchronous, 6, 0, 101, comm)
    end if
    call post_send(mode_standard, 7, to, 100, comm)
    one = 1
    CALL(Allreduce)(one, total, 1, MPI_INTEGER, MPI_SUM, comm IERROR)
    call expect(total(1) == size, 'all ranks of a communicator')
    call complete(4, .false.)
  end subroutine use_comm

  subroutine use_and_free(comm, name)
    HANDLE(MPI_Comm), intent(inout) :: comm
    character(len=*), intent(in) :: name
    character(len=MPI_MAX_OBJECT_NAME) :: found
    integer :: length
    CALL(Comm_set_name)(comm, name IERROR)
    CALL(Comm_get_name)(comm, found, length IERROR)
    call expect(found == name .and. length == len(name), 'the name of a communicator')
    call use_comm(comm)
    CALL(Comm_free)(comm IERROR)
    call expect(comm == MPI_COMM_NULL, 'a communicator that is free')
  end subroutine use_and_free

  subroutine duplicates()
    HANDLE(MPI_Comm) :: copy
    HANDLE(MPI_Info) :: info
    HANDLE(MPI_Request) :: request
    integer :: result
    CALL(Comm_dup)(all, copy IERROR)
    CALL(Comm_compare)(all, copy, result IERROR)
    call expect(result == MPI_CONGRUENT, 'a duplicate')
    call use_and_free(copy, 'a duplicate')
    CALL(Info_create)(info IERROR)
    CALL(Info_set)(info, 'mpi_assert_no_any_tag', 'false' IERROR)
    CALL(Comm_dup_with_info)(all, info, copy IERROR)
    CALL(Info_free)(info IERROR)
    call use_and_free(copy, 'with info')
    CALL(Comm_idup)(all, copy, request IERROR)
    CALL(Wait)(request, MPI_STATUS_IGNORE IERROR)
    call use_and_free(copy, 'idup')
  end subroutine duplicates

  ! Freed while letters are under way: it lasts until they have arrived. The ranks are those of the original.
  subroutine freed_early()
    HANDLE(MPI_Comm) :: copy
    CALL(Comm_dup)(all, copy IERROR)
    call post_receive(left, 105, copy)
    call post_receive(MPI_ANY_SOURCE, 106, copy)
    comm_of(1) = all
    comm_of(2) = all
    call barrier()
    call post_send(mode_synchronous, 9, right, 105, copy)
    call post_send(mode_standard, 5, left, 106, copy)
    CALL(Comm_free)(copy IERROR)
    call complete(8, .false.)
  end subroutine freed_early

  subroutine parts()
    HANDLE(MPI_Comm) :: part
    CALL(Comm_split)(all, mod(me, 2), -me, part IERROR)
    call use_and_free(part, 'half')
    CALL(Comm_split_type)(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, part IERROR)
    call use_comm(part)
    CALL(Comm_disconnect)(part IERROR)
  end subroutine parts

  subroutine of_groups()
    HANDLE(MPI_Group) :: group, reversed, first
    HANDLE(MPI_Comm) :: comm
    integer :: ranges(3, 1)
    ranges(:, 1) = (/ranks - 1, 0, -1/)
    CALL(Comm_group)(all, group IERROR)
    CALL(Group_range_incl)(group, 1, ranges, reversed IERROR)
    CALL(Comm_create)(all, reversed, comm IERROR)
    call use_and_free(comm, 'reversed')
    CALL(Group_incl)(group, 1, (/0/), first IERROR)
    if (me == 0) then
      CALL(Comm_create_group)(all, first, 9, comm IERROR)
      call use_and_free(comm, 'rank 0 alone')
    end if
    CALL(Group_free)(first IERROR)
    CALL(Group_free)(reversed IERROR)
    CALL(Group_free)(group IERROR)
  end subroutine of_groups

  subroutine with_topology()
    HANDLE(MPI_Comm) :: grid, row, graph
    integer :: dims(2), near(1), index(1)
    integer :: source, dest
    dims = 0
    CALL(Dims_create)(ranks, 2, dims IERROR)
    CALL(Cart_create)(all, 2, dims, (/.true., .true./), .true., grid IERROR)
    CALL(Cart_shift)(grid, 0, 1, source, dest IERROR)
    CALL(Cart_sub)(grid, (/.true., .false./), row IERROR)
    call use_and_free(row, 'column')
    call use_and_free(grid, 'grid')
    index = 0
    near = 0
    CALL(Graph_create)(all, 1, index, near, .false., graph IERROR)
    if (graph /= MPI_COMM_NULL) call use_and_free(graph, 'graph of one')
    CALL(Dist_graph_create_adjacent)(all, 1, (/left/), MPI_UNWEIGHTED, 1, (/right/), MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph IERROR)
    call neighbours(graph)
    call use_and_free(graph, 'distributed graph')
    CALL(Dist_graph_create)(all, 1, (/me/), (/1/), (/right/), MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph IERROR)
    call use_and_free(graph, 'the same of all')
  end subroutine with_topology

  ! A graph of one neighbour in, and one out.
  subroutine neighbours(graph)
    HANDLE(MPI_Comm), intent(in) :: graph
    integer :: number_in, number_out, from(1), to(1), from_weights(1), to_weights(1), own(1), got(1)
    logical :: weighted
    CALL(Dist_graph_neighbors_count)(graph, number_in, number_out, weighted IERROR)
    CALL(Dist_graph_neighbors)(graph, 1, from, from_weights, 1, to, to_weights IERROR)
    call expect(number_in == 1 .and. from(1) == left .and. to(1) == right, 'neighbours')
    own = me
    CALL(Neighbor_alltoall)(own, 1, MPI_INTEGER, got, 1, MPI_INTEGER, graph IERROR)
    call expect(got(1) == left, 'what the neighbour sent')
  end subroutine neighbours

  ! Even ranks against odd ones: a letter to the same number in the other group, and to its rank 0.
  subroutine between_groups()
    HANDLE(MPI_Comm) :: half, both, merged
    integer :: odd, own, others, i
    odd = mod(me, 2)
    CALL(Comm_split)(all, odd, me, half IERROR)
    CALL(Intercomm_create)(half, 0, all, 1 - odd, 104, both IERROR)
    CALL(Comm_rank)(both, own IERROR)
    CALL(Comm_remote_size)(both, others IERROR)
    if (own < others) then
      call post_receive(own, 102, both)
      call post_send(mode_standard, 9, own, 102, both)
    end if
    if (own == 0) then
      do i = 1, others
        call post_receive(MPI_ANY_SOURCE, 103, both)
      end do
    end if
    call post_send(mode_synchronous, 4, 0, 103, both)
    call complete(5, odd == 1)
    call groups_exchange(both, odd, others)
    CALL(Intercomm_merge)(both, odd == 1, merged IERROR)
    call use_and_free(merged, 'merged')
    CALL(Comm_free)(both IERROR)
    CALL(Comm_free)(half IERROR)
  end subroutine between_groups

  ! From even rank 0 to the odd ones, and between all.
  subroutine groups_exchange(both, odd, others)
    HANDLE(MPI_Comm), intent(in) :: both
    integer, intent(in) :: odd, others
    integer :: root, value(1), total(1)
    root = 0
    if (odd == 0) root = MPI_PROC_NULL
    if (me == 0) root = MPI_ROOT
    value = 0
    if (me == 0) value = 42
    CALL(Bcast)(value, 1, MPI_INTEGER, root, both IERROR)
    call expect(odd == 0 .or. value(1) == 42, 'a broadcast between groups')
    value = 1
    CALL(Allreduce)(value, total, 1, MPI_INTEGER, MPI_SUM, both IERROR)
    call expect(total(1) == others, 'a sum over the other group')
  end subroutine groups_exchange
end module communicators
