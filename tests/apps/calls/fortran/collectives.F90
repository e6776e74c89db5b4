#include "binding.h"
! Collectives, blocking and posted, in place, and among neighbours.
module collectives
  use messages
  implicit none
  integer, parameter :: most = 64
  integer :: mine(2*most), got(2*most), counts(most), places(most), byte_places(most)
  integer(kind=MPI_ADDRESS_KIND) :: addresses(most)
  HANDLE(MPI_Datatype) :: types(most)
  HANDLE(MPI_Request) :: posted_one
contains
  subroutine exercise_collectives(comm)
    HANDLE(MPI_Comm), intent(in) :: comm
    integer :: root, i
    call enter(comm)
    counts = 1
    places = (/(i, i=0, most - 1)/)
    byte_places = places*int_bytes
    addresses = byte_places
    types = MPI_INTEGER
    do root = 0, ranks - 1, max(1, ranks - 1)
      call data_movement(root)
      call posted_data_movement(root)
      call reductions(root)
      call posted_reductions(root)
    end do
    call in_place()
    call grid()
  end subroutine exercise_collectives

  subroutine prepare()
    integer :: i
    mine = (/(100*me + i - 1, i=1, 2*most)/)
    got = -1
  end subroutine prepare

  ! Checks what is expected of the place, after a posted one is complete.
  subroutine check(place, value)
    integer, intent(in) :: place, value
    call expect(got(place) == value, 'what a collective brought')
    call prepare()
  end subroutine check

  subroutine check_posted(place, value)
    integer, intent(in) :: place, value
    CALL(Wait)(posted_one, MPI_STATUS_IGNORE IERROR)
    call check(place, value)
  end subroutine check_posted

  ! Data that only the root receives.
  integer function at_root(root, value)
    integer, intent(in) :: root, value
    at_root = -1
    if (me == root) at_root = value
  end function at_root

  integer function sum_at(place, of)
    integer, intent(in) :: place, of
    sum_at = 100*(of*(of - 1)/2) + of*place
  end function sum_at

  subroutine data_movement(root)
    integer, intent(in) :: root
    integer :: last
    last = 100*(ranks - 1)
    call prepare()
    CALL(Barrier)(world IERROR)
    CALL(Bcast)(mine, 2, MPI_INTEGER, root, world IERROR)
    got(1) = mine(2)
    call check(1, 100*root + 1)
    CALL(Gather)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, root, world IERROR)
    call check(ranks, at_root(root, last))
    CALL(Gatherv)(mine, 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, root, world IERROR)
    call check(ranks, at_root(root, last))
    CALL(Scatter)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, root, world IERROR)
    call check(1, 100*root + me)
    CALL(Scatterv)(mine, counts, places, MPI_INTEGER, got, 1, MPI_INTEGER, root, world IERROR)
    call check(1, 100*root + me)
    CALL(Allgather)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, world IERROR)
    call check(ranks, last)
    CALL(Allgatherv)(mine, 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, world IERROR)
    call check(ranks, last)
    CALL(Alltoall)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, world IERROR)
    call check(ranks, last + me)
    CALL(Alltoallv)(mine, counts, places, MPI_INTEGER, got, counts, places, MPI_INTEGER, world IERROR)
    call check(ranks, last + me)
    CALL(Alltoallw)(mine, counts, byte_places, types, got, counts, byte_places, types, world IERROR)
    call check(ranks, last + me)
  end subroutine data_movement

  subroutine posted_data_movement(root)
    integer, intent(in) :: root
    integer :: last
    last = 100*(ranks - 1)
    call prepare()
    CALL(Ibarrier)(world, posted_one IERROR)
    call check_posted(1, -1)
    CALL(Igather)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, root, world, posted_one IERROR)
    call check_posted(ranks, at_root(root, last))
    CALL(Igatherv)(mine, 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, root, world, posted_one IERROR)
    call check_posted(ranks, at_root(root, last))
    CALL(Iscatter)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, root, world, posted_one IERROR)
    call check_posted(1, 100*root + me)
    CALL(Iscatterv)(mine, counts, places, MPI_INTEGER, got, 1, MPI_INTEGER, root, world, posted_one IERROR)
    call check_posted(1, 100*root + me)
    CALL(Iallgather)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, world, posted_one IERROR)
    call check_posted(ranks, last)
    CALL(Iallgatherv)(mine, 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, world, posted_one IERROR)
    call check_posted(ranks, last)
    CALL(Ialltoall)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, world, posted_one IERROR)
    call check_posted(ranks, last + me)
    CALL(Ialltoallv)(mine, counts, places, MPI_INTEGER, got, counts, places, MPI_INTEGER, world, posted_one IERROR)
    call check_posted(ranks, last + me)
    CALL(Ialltoallw)(mine, counts, byte_places, types, got, counts, byte_places, types, world, posted_one IERROR)
    call check_posted(ranks, last + me)
  end subroutine posted_data_movement

  subroutine reductions(root)
    integer, intent(in) :: root
    CALL(Reduce)(mine, got, 2, MPI_INTEGER, MPI_SUM, root, world IERROR)
    call check(2, at_root(root, sum_at(1, ranks)))
    CALL(Allreduce)(mine, got, 2, MPI_INTEGER, MPI_SUM, world IERROR)
    call check(2, sum_at(1, ranks))
    CALL(Reduce_scatter)(mine, got, counts, MPI_INTEGER, MPI_SUM, world IERROR)
    call check(1, sum_at(me, ranks))
    CALL(Reduce_scatter_block)(mine, got, 1, MPI_INTEGER, MPI_SUM, world IERROR)
    call check(1, sum_at(me, ranks))
    CALL(Scan)(mine, got, 1, MPI_INTEGER, MPI_SUM, world IERROR)
    call check(1, sum_at(0, me + 1))
    CALL(Exscan)(mine, got, 1, MPI_INTEGER, MPI_SUM, world IERROR)
    if (me == 0) got(1) = 0
    call check(1, sum_at(0, me))
    CALL(Reduce_local)(mine, got, 1, MPI_INTEGER, MPI_MAX IERROR)
    call check(1, 100*me)
  end subroutine reductions

  subroutine posted_reductions(root)
    integer, intent(in) :: root
    CALL(Ireduce)(mine, got, 2, MPI_INTEGER, MPI_SUM, root, world, posted_one IERROR)
    call check_posted(2, at_root(root, sum_at(1, ranks)))
    CALL(Iallreduce)(mine, got, 2, MPI_INTEGER, MPI_SUM, world, posted_one IERROR)
    call check_posted(2, sum_at(1, ranks))
    CALL(Ireduce_scatter)(mine, got, counts, MPI_INTEGER, MPI_SUM, world, posted_one IERROR)
    call check_posted(1, sum_at(me, ranks))
    CALL(Ireduce_scatter_block)(mine, got, 1, MPI_INTEGER, MPI_SUM, world, posted_one IERROR)
    call check_posted(1, sum_at(me, ranks))
    CALL(Iscan)(mine, got, 1, MPI_INTEGER, MPI_SUM, world, posted_one IERROR)
    call check_posted(1, sum_at(0, me + 1))
    CALL(Iexscan)(mine, got, 1, MPI_INTEGER, MPI_SUM, world, posted_one IERROR)
    CALL(Wait)(posted_one, MPI_STATUS_IGNORE IERROR)
    if (me == 0) got(1) = 0
    call check(1, sum_at(0, me))
  end subroutine posted_reductions

  subroutine in_place()
    call prepare()
    got(me + 1) = 100*me
    CALL(Allgather)(MPI_IN_PLACE, 0, MPI_INTEGER, got, 1, MPI_INTEGER, world IERROR)
    call check(ranks, 100*(ranks - 1))
    got(1) = me
    CALL(Allreduce)(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, world IERROR)
    call check(1, ranks*(ranks - 1)/2)
    got(1) = me
    CALL(Iallreduce)(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, world, posted_one IERROR)
    call check_posted(1, ranks*(ranks - 1)/2)
    if (me == 0) then
      got(1) = 0
      CALL(Gather)(MPI_IN_PLACE, 1, MPI_INTEGER, got, 1, MPI_INTEGER, 0, world IERROR)
    else
      CALL(Gather)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, 0, world IERROR)
    end if
    call check(ranks, at_root(0, 100*(ranks - 1)))
    got(1:ranks) = mine(1:ranks)
    CALL(Alltoall)(MPI_IN_PLACE, 0, MPI_INTEGER, got, 1, MPI_INTEGER, world IERROR)
    call check(ranks, 100*(ranks - 1) + me)
    got(1) = 1
    CALL(Scan)(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, world IERROR)
    call check(1, me + 1)
  end subroutine in_place

  ! A ring as a Cartesian grid: what comes from the left is expected.
  subroutine grid()
    HANDLE(MPI_Comm) :: ring
    call prepare()
    mine = 7*me
    CALL(Cart_create)(world, 1, (/ranks/), (/.true./), .false., ring IERROR)
    CALL(Neighbor_allgather)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring IERROR)
    call check_near()
    CALL(Neighbor_allgatherv)(mine, 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring IERROR)
    call check_near()
    CALL(Neighbor_alltoall)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring IERROR)
    call check_near()
    CALL(Neighbor_alltoallv)(mine, counts, places, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring IERROR)
    call check_near()
    CALL(Ineighbor_allgather)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring, posted_one IERROR)
    call check_posted_near()
    CALL(Ineighbor_allgatherv)(mine, 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring, posted_one IERROR)
    call check_posted_near()
    CALL(Ineighbor_alltoall)(mine, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring, posted_one IERROR)
    call check_posted_near()
    CALL(Ineighbor_alltoallv)(mine, counts, places, MPI_INTEGER, got, counts, places, MPI_INTEGER, ring, posted_one IERROR)
    call check_posted_near()
#if !defined(WITHOUT_NEIGHBOR_ALLTOALLW)
    if (ranks > 1) call grid_of_types(ring)
#endif
    CALL(Comm_free)(ring IERROR)
  end subroutine grid

  ! The bindings of Open MPI 4.1 convert as many types as there are ranks, and not those of two neighbours.
  subroutine grid_of_types(ring)
    HANDLE(MPI_Comm), intent(in) :: ring
    CALL(Neighbor_alltoallw)(mine, counts, addresses, types, got, counts, addresses, types, ring IERROR)
    call check_near()
    CALL(Ineighbor_alltoallw)(mine, counts, addresses, types, got, counts, addresses, types, ring, posted_one IERROR)
    call check_posted_near()
  end subroutine grid_of_types

  subroutine check_near()
    call expect(got(1) == 7*left .and. got(2) == 7*right, 'what neighbours sent')
    got = -1
  end subroutine check_near

  subroutine check_posted_near()
    CALL(Wait)(posted_one, MPI_STATUS_IGNORE IERROR)
    call check_near()
  end subroutine check_posted_near
end module collectives
