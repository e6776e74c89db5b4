/* Communicators by every route, with messages and a collective on each. */
#include <string.h>

#include "families.h"

/* Letters around the ring and to rank 0 from anybody. */
static void use(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    struct Pending pending = {0};
    int one = 1, sum = 0;
    pend_receive(&pending, ring.left, 100, comm);
    for (int i = 1; i < ring.ranks && ring.rank == 0; ++i) pend_receive(&pending, MPI_ANY_SOURCE, 101, comm);
    if (ring.rank != 0) pend_send(&pending, &posted_sends[2], 6, 0, 101, comm);
    pend_send(&pending, &posted_sends[0], 7, ring.right, 100, comm);
    CALL(Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == ring.ranks);
    complete(&pending, 3, with_statuses);
}

/* A letter to the rank of the same number in the other group, and one to rank 0 from anybody. */
static void use_between(MPI_Comm comm) {
    int rank, others, is_inter, sum = 0, one = 1;
    struct Pending pending = {0};
    CALL(Comm_test_inter, comm, &is_inter);
    EXPECT(is_inter);
    CALL(Comm_rank, comm, &rank);
    CALL(Comm_remote_size, comm, &others);
    if (rank < others) {
        pend_receive(&pending, rank, 102, comm);
        pend_send(&pending, &posted_sends[0], 9, rank, 102, comm);
    }
    for (int i = 0; i < others && rank == 0; ++i) pend_receive(&pending, MPI_ANY_SOURCE, 103, comm);
    pend_send(&pending, &posted_sends[2], 4, 0, 103, comm);
    complete(&pending, 5, rank % 2 ? with_statuses : without_statuses);
    CALL(Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == others);
}

static void named(MPI_Comm comm, const char* name) {
    char found[MPI_MAX_OBJECT_NAME];
    int length;
    CALL(Comm_set_name, comm, name);
    CALL(Comm_get_name, comm, found, &length);
    EXPECT(strcmp(found, name) == 0 && length == (int)strlen(name));
}

static void use_and_free(MPI_Comm* comm, const char* name) {
    if (name) named(*comm, name);
    use(*comm);
    CALL(Comm_free, comm);
    EXPECT(*comm == MPI_COMM_NULL);
}

/* Freed while letters are under way: it lasts until they have arrived. The ranks are those of the original.
 */
static void freed_early(MPI_Comm comm) {
    MPI_Comm copy;
    struct Ring ring = ring_of(comm);
    struct Pending pending = {0};
    CALL(Comm_dup, comm, &copy);
    pend_receive(&pending, ring.left, 105, copy);
    pend_receive(&pending, MPI_ANY_SOURCE, 106, copy);
    pending.letters[0].comm = pending.letters[1].comm = comm;
    CALL(Barrier, comm);
    pend_send(&pending, &posted_sends[2], 9, ring.right, 105, copy);
    pend_send(&pending, &posted_sends[0], 5, ring.left, 106, copy);
    CALL(Comm_free, &copy);
    CALL(Comm_dup, comm, &copy); /* perhaps by the same handle */
    use(copy);
    CALL(Comm_free, &copy);
    complete(&pending, 7, with_statuses);
}

static void duplicates(MPI_Comm comm) {
    MPI_Comm copy, more[2];
    MPI_Request requests[2];
    MPI_Info info;
    int result;
    CALL(Comm_dup, comm, &copy);
    CALL(Comm_compare, comm, copy, &result);
    EXPECT(result == MPI_CONGRUENT);
    use_and_free(&copy, "a duplicate");
    CALL(Info_create, &info);
    CALL(Info_set, info, "mpi_assert_no_any_tag", "false");
    CALL(Comm_dup_with_info, comm, info, &copy);
    CALL(Info_free, &info);
    use_and_free(&copy, NULL);
    CALL(Comm_idup, comm, &more[0], &requests[0]);
    CALL(Wait, &requests[0], MPI_STATUS_IGNORE);
    CALL(Comm_idup, more[0], &more[1], &requests[0]);
    CALL(Ibarrier, comm, &requests[1]);
    CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    use_and_free(&more[0], "idup");
    use_and_free(&more[1], "idup of idup");
}

static void parts(const struct Ring* ring) {
    MPI_Comm part;
    CALL(Comm_split, ring->comm, ring->rank % 2, -ring->rank, &part);
    use_and_free(&part, ring->rank % 2 ? "odd" : "even");
    CALL(Comm_split, ring->comm, ring->rank ? 0 : MPI_UNDEFINED, 0, &part);
    EXPECT((part == MPI_COMM_NULL) == (ring->rank == 0));
    if (part != MPI_COMM_NULL) use_and_free(&part, "without rank 0");
    CALL(Comm_split_type, ring->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
    use(part);
    CALL(Comm_disconnect, &part);
}

/* Made of a group whose ranks are in another order. */
static void of_groups(const struct Ring* ring) {
    MPI_Group all, reversed, odd;
    MPI_Comm comm;
    CALL(Comm_group, ring->comm, &all);
    CALL(Group_range_incl, all, 1, (int[1][3]){{ring->ranks - 1, 0, -1}}, &reversed);
    CALL(Comm_create, ring->comm, reversed, &comm);
    use_and_free(&comm, "reversed");
    CALL(Comm_create, ring->comm, MPI_GROUP_EMPTY, &comm);
    EXPECT(comm == MPI_COMM_NULL);
    if (ring->ranks >= 2) {
        CALL(Group_range_incl, all, 1, (int[1][3]){{1, ring->ranks - 1, 2}}, &odd);
        if (ring->rank % 2) {
            CALL(Comm_create_group, ring->comm, odd, 9, &comm);
            use_and_free(&comm, "odd ones alone");
        }
        CALL(Group_free, &odd);
    }
    CALL(Group_free, &reversed);
    CALL(Group_free, &all);
}

static void with_topology(const struct Ring* ring) {
    int dims[2] = {0, 0}, index[1] = {0}, one = 1;
    MPI_Comm grid, row, graph;
    CALL(Dims_create, ring->ranks, 2, dims);
    CALL(Cart_create, ring->comm, 2, dims, (int[]){1, 1}, 1, &grid);
    CALL(Cart_sub, grid, (int[]){1, 0}, &row);
    use_and_free(&row, "column");
    CALL(Cart_sub, grid, (int[]){0, 1}, &row);
    use_and_free(&row, "row");
    use_and_free(&grid, "grid");
    CALL(Graph_create, ring->comm, 1, index, index, 0, &graph);
    EXPECT((graph == MPI_COMM_NULL) == (ring->rank != 0));
    if (graph != MPI_COMM_NULL) use_and_free(&graph, "graph of one");
    CALL(Dist_graph_create, ring->comm, 1, &ring->rank, &one, &ring->right, unweighted(), MPI_INFO_NULL, 0,
         &graph);
    use_and_free(&graph, "distributed graph");
    CALL(Dist_graph_create_adjacent, ring->comm, 1, &ring->left, unweighted(), 1, &ring->right, unweighted(),
         MPI_INFO_NULL, 0, &graph);
    use_and_free(&graph, NULL);
}

/* Even ranks against odd ones, and what comes of it. */
static void between_groups(const struct Ring* ring) {
    MPI_Comm half, both, copy, merged;
    MPI_Group others;
    int odd = ring->rank % 2, size;
    if (ring->ranks < 2) return;
    CALL(Comm_split, ring->comm, odd, ring->rank, &half);
    CALL(Intercomm_create, half, 0, ring->comm, 1 - odd, 104, &both);
    named(both, "even and odd");
    use_between(both);
    CALL(Comm_remote_group, both, &others);
    CALL(Group_size, others, &size);
    EXPECT(size == (ring->ranks + odd) / 2);
    CALL(Group_free, &others);
    CALL(Comm_dup, both, &copy);
    use_between(copy);
    CALL(Comm_disconnect, &copy);
    CALL(Comm_split, both, ring->rank / 2, 0, &copy); /* pairs; the last of an odd number has nobody */
    EXPECT((copy == MPI_COMM_NULL) == (!odd && ring->right == 0));
    if (copy != MPI_COMM_NULL) use_between(copy);
    if (copy != MPI_COMM_NULL) CALL(Comm_free, &copy);
    CALL(Intercomm_merge, both, odd, &merged);
    use_and_free(&merged, "merged");
    CALL(Comm_free, &both);
    use_and_free(&half, "half");
}

static void predefined(const struct Ring* ring) {
    MPI_Comm alone, parent;
    CALL(Comm_get_parent, &parent);
    EXPECT(parent == MPI_COMM_NULL);
    use(ring->comm);
    use(MPI_COMM_SELF);
    CALL(Comm_dup, MPI_COMM_SELF, &alone);
    named(alone, "alone");
    use(alone);
    CALL(Comm_disconnect, &alone);
}

void exercise_communicators(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    predefined(&ring);
    freed_early(comm);
    duplicates(comm);
    parts(&ring);
    of_groups(&ring);
    with_topology(&ring);
    between_groups(&ring);
}
