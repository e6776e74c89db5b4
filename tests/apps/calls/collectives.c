/* Collectives, blocking and posted: with equal and different counts, with types per rank, in place, between
 * two groups. */
#include <stddef.h>

#include "families.h"

enum { most = 64 };

/* The data that a collective reads and writes; `mine` holds 100 * rank + place, `got` nothing. */
struct Data {
    MPI_Comm comm;
    int rank, ranks;
    int mine[2 * most], got[2 * most];
    int ones[most], places[most], sizes[most], bytes[most], byte_places[most], starts[most],
        byte_starts[most];
    MPI_Datatype types[most];
    int total;
};

static void prepare(struct Data* data) {
    for (int i = 0; i < 2 * most; ++i) data->mine[i] = 100 * data->rank + i, data->got[i] = -1;
}

/* Rank r has 1 + r % 2 ints of its own. */
static struct Data data_on(MPI_Comm comm) {
    struct Data data = {.comm = comm};
    CALL(Comm_rank, comm, &data.rank);
    CALL(Comm_size, comm, &data.ranks);
    EXPECT(data.ranks <= most);
    for (int r = 0; r < data.ranks; ++r) {
        data.ones[r] = 1;
        data.places[r] = r;
        data.byte_places[r] = r * (int)sizeof(int);
        data.types[r] = MPI_INT;
        data.sizes[r] = 1 + r % 2;
        data.starts[r] = data.total;
        data.total += data.sizes[r];
    }
    return data;
}

/* The sum of what the first ranks have at a place. */
static int sum_at(int place, int ranks) {
    return 100 * (ranks * (ranks - 1) / 2) + ranks * place;
}

static int gathered(const struct Data* data, const int* starts) {
    for (int r = 0; r < data->ranks; ++r)
        if (data->got[starts[r]] != 100 * r) return 0;
    return 1;
}

static int exchanged(const struct Data* data) {
    for (int r = 0; r < data->ranks; ++r)
        if (data->got[r] != 100 * r + data->rank) return 0;
    return 1;
}

/* The same collective in both forms. */
#define BOTH(blocking, posted, holds, ...)       \
    do {                                         \
        MPI_Request request;                     \
        prepare(data);                           \
        CALL(blocking, __VA_ARGS__);             \
        EXPECT(holds);                           \
        prepare(data);                           \
        CALL(posted, __VA_ARGS__, &request);     \
        CALL(Wait, &request, MPI_STATUS_IGNORE); \
        EXPECT(holds);                           \
    } while (0)
#define MINE data->mine
#define GOT data->got
#define ONE(buffer) buffer, 1, MPI_INT

static void equal_counts(struct Data* data, int root) {
    MPI_Comm comm = data->comm;
    int is_root = data->rank == root;
    BOTH(Barrier, Ibarrier, 1, comm);
    BOTH(Bcast, Ibcast, MINE[1] == 100 * root + 1, MINE, 2, MPI_INT, root, comm);
    BOTH(Gather, Igather, !is_root || gathered(data, data->places), ONE(MINE), ONE(GOT), root, comm);
    BOTH(Scatter, Iscatter, GOT[0] == 100 * root + data->rank, ONE(MINE), ONE(GOT), root, comm);
    BOTH(Allgather, Iallgather, gathered(data, data->places), ONE(MINE), ONE(GOT), comm);
    BOTH(Alltoall, Ialltoall, exchanged(data), ONE(MINE), ONE(GOT), comm);
}

static void own_counts(struct Data* data, int root) {
    MPI_Comm comm = data->comm;
    int is_root = data->rank == root, size = data->sizes[data->rank];
    BOTH(Gatherv, Igatherv, !is_root || gathered(data, data->starts), MINE, size, MPI_INT, GOT, data->sizes,
         data->starts, MPI_INT, root, comm);
    BOTH(Scatterv, Iscatterv, GOT[size - 1] == 100 * root + data->starts[data->rank] + size - 1, MINE,
         data->sizes, data->starts, MPI_INT, GOT, size, MPI_INT, root, comm);
    BOTH(Allgatherv, Iallgatherv, gathered(data, data->starts), MINE, size, MPI_INT, GOT, data->sizes,
         data->starts, MPI_INT, comm);
    BOTH(Alltoallv, Ialltoallv, exchanged(data), MINE, data->ones, data->places, MPI_INT, GOT, data->ones,
         data->places, MPI_INT, comm);
    BOTH(Alltoallw, Ialltoallw, exchanged(data), MINE, data->ones, data->byte_places, data->types, GOT,
         data->ones, data->byte_places, data->types, comm);
}

static void reductions(struct Data* data, int root) {
    MPI_Comm comm = data->comm;
    int is_root = data->rank == root, rank = data->rank, all = data->ranks;
    BOTH(Reduce, Ireduce, !is_root || GOT[1] == sum_at(1, all), MINE, GOT, 2, MPI_INT, MPI_SUM, root, comm);
    BOTH(Allreduce, Iallreduce, GOT[1] == sum_at(1, all), MINE, GOT, 2, MPI_INT, MPI_SUM, comm);
    BOTH(Reduce_scatter, Ireduce_scatter, GOT[0] == sum_at(data->starts[rank], all), MINE, GOT, data->sizes,
         MPI_INT, MPI_SUM, comm);
    BOTH(Reduce_scatter_block, Ireduce_scatter_block, GOT[0] == sum_at(rank, all), MINE, GOT, 1, MPI_INT,
         MPI_SUM, comm);
    BOTH(Scan, Iscan, GOT[0] == sum_at(0, rank + 1), MINE, GOT, 1, MPI_INT, MPI_SUM, comm);
    BOTH(Exscan, Iexscan, !rank || GOT[0] == sum_at(0, rank), MINE, GOT, 1, MPI_INT, MPI_SUM, comm);
}

static void in_place(struct Data* data, int root) {
    MPI_Comm comm = data->comm;
    int is_root = data->rank == root, rank = data->rank, all = data->ranks;
    const void* in = is_root ? MPI_IN_PLACE : MINE;
    BOTH(Gather, Igather, !is_root || MINE[all - 1] == (all - 1 == root ? 101 * root : 100 * (all - 1)), in,
         1, MPI_INT, ONE(MINE), root, comm);
    BOTH(Gatherv, Igatherv, !is_root || MINE[0] == 0, in, 1, MPI_INT, MINE, data->ones, data->places, MPI_INT,
         root, comm);
    BOTH(Scatter, Iscatter, is_root || GOT[0] == 100 * root + rank, ONE(MINE), is_root ? MPI_IN_PLACE : GOT,
         1, MPI_INT, root, comm);
    BOTH(Scatterv, Iscatterv, is_root || GOT[0] == 100 * root + rank, MINE, data->ones, data->places, MPI_INT,
         is_root ? MPI_IN_PLACE : GOT, 1, MPI_INT, root, comm);
    BOTH(Allgather, Iallgather, MINE[all - 1] == 101 * (all - 1), MPI_IN_PLACE, 0, MPI_INT, ONE(MINE), comm);
    BOTH(Allgatherv, Iallgatherv, MINE[all - 1] == 101 * (all - 1), MPI_IN_PLACE, 0, MPI_INT, MINE,
         data->ones, data->places, MPI_INT, comm);
    BOTH(Reduce, Ireduce, !is_root || MINE[1] == sum_at(1, all), in, MINE, 2, MPI_INT, MPI_SUM, root, comm);
    BOTH(Allreduce, Iallreduce, MINE[1] == sum_at(1, all), MPI_IN_PLACE, MINE, 2, MPI_INT, MPI_SUM, comm);
    BOTH(Scan, Iscan, MINE[0] == sum_at(0, rank + 1), MPI_IN_PLACE, MINE, 1, MPI_INT, MPI_SUM, comm);
    BOTH(Exscan, Iexscan, !rank || MINE[0] == sum_at(0, rank), MPI_IN_PLACE, MINE, 1, MPI_INT, MPI_SUM, comm);
    BOTH(Reduce_scatter, Ireduce_scatter, MINE[0] == sum_at(data->starts[rank], all), MPI_IN_PLACE, MINE,
         data->sizes, MPI_INT, MPI_SUM, comm);
    BOTH(Reduce_scatter_block, Ireduce_scatter_block, MINE[0] == sum_at(rank, all), MPI_IN_PLACE, MINE, 1,
         MPI_INT, MPI_SUM, comm);
    BOTH(Alltoall, Ialltoall, MINE[all - 1] == 100 * (all - 1) + rank, MPI_IN_PLACE, 0, MPI_INT, ONE(MINE),
         comm);
    prepare(data);
    CALL(Alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_INT, MINE, data->ones, data->places, MPI_INT, comm);
    EXPECT(MINE[all - 1] == 100 * (all - 1) + rank);
    prepare(data);
    CALL(Alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, MINE, data->ones, data->byte_places, data->types, comm);
    EXPECT(MINE[all - 1] == 100 * (all - 1) + rank);
}

/* Even ranks against odd ones. */
static void between_groups(const struct Ring* ring) {
    MPI_Comm half, both;
    int odd = ring->rank % 2, others, root;
    if (ring->ranks < 2) return;
    CALL(Comm_split, ring->comm, odd, ring->rank, &half);
    CALL(Intercomm_create, half, 0, ring->comm, 1 - odd, 5, &both);
    CALL(Comm_remote_size, both, &others);
    struct Data own = data_on(both), *data = &own;
    root = odd ? 0 : (own.rank == 0 ? MPI_ROOT : MPI_PROC_NULL); /* data goes from even rank 0, or to it */
    BOTH(Barrier, Ibarrier, 1, both);
    BOTH(Bcast, Ibcast, !odd || MINE[1] == 1, MINE, 2, MPI_INT, root, both);
    BOTH(Allreduce, Iallreduce, GOT[1] == sum_at(1, others), MINE, GOT, 2, MPI_INT, MPI_SUM, both);
    BOTH(Allgather, Iallgather, GOT[others - 1] == 100 * (others - 1), ONE(MINE), ONE(GOT), both);
    BOTH(Alltoall, Ialltoall, GOT[others - 1] == 100 * (others - 1) + own.rank, ONE(MINE), ONE(GOT), both);
    BOTH(Gather, Igather, root != MPI_ROOT || GOT[others - 1] == 100 * (others - 1), ONE(MINE), ONE(GOT),
         root, both);
    BOTH(Scatter, Iscatter, !odd || GOT[0] == own.rank, ONE(MINE), ONE(GOT), root, both);
    BOTH(Reduce, Ireduce, root != MPI_ROOT || GOT[0] == sum_at(0, others), MINE, GOT, 1, MPI_INT, MPI_SUM,
         root, both);
    CALL(Comm_free, &both);
    CALL(Comm_free, &half);
}

static void local_reduction(void) {
    int in[2] = {3, 4}, out[2] = {5, 6};
    CALL(Reduce_local, in, out, 2, MPI_INT, MPI_PROD);
    EXPECT(out[0] == 15 && out[1] == 24);
}

void exercise_collectives(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    struct Data data = data_on(comm);
    for (int root = 0; root<data.ranks; root += data.ranks> 1 ? data.ranks - 1 : 1) {
        equal_counts(&data, root);
        own_counts(&data, root);
        reductions(&data, root);
        in_place(&data, root);
    }
    between_groups(&ring);
    local_reduction();
}
