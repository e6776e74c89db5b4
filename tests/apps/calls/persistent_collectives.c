/* Collectives that are made once and started often, in another order on each rank; posted copies of
 * communicators, and infos. */
#include <stddef.h>

#include "families.h"

#if MPI_VERSION >= 4

enum { most = 64, made_at_most = 64, rounds = 3 };

struct Made {
    int count;
    MPI_Request requests[made_at_most];
    int is_once[made_at_most];
};

/* The calls of one collective, with counts of int and of MPI_Count. */
#define MAKE(made, name, ...) CALL(name, __VA_ARGS__, MPI_INFO_NULL, &(made)->requests[(made)->count++])

/* MPICH 4.0 fails when MPI_Scatter_init is started again on three ranks or more. */
static void once(struct Made* made) {
    made->is_once[made->count - 1] = 1;
}

struct Data {
    int mine[most], got[most], sum, of_root;
    int ones[most], places[most], bytes[most];
    MPI_Count large_ones[most];
    MPI_Aint large_places[most], large_bytes[most];
    MPI_Datatype types[most];
};

static void prepare(struct Data* data, int rank) {
    for (int i = 0; i < most; ++i) {
        data->mine[i] = rank, data->got[i] = -1;
        data->ones[i] = 1, data->places[i] = i, data->bytes[i] = i * (int)sizeof(int);
        data->large_ones[i] = 1, data->large_places[i] = i, data->large_bytes[i] = data->bytes[i];
        data->types[i] = MPI_INT;
    }
}

static void make(struct Data* d, MPI_Comm comm, struct Made* made) {
    MAKE(made, Barrier_init, comm);
    MAKE(made, Bcast_init, &d->of_root, 1, MPI_INT, 0, comm);
    MAKE(made, Allreduce_init, d->mine, &d->sum, 1, MPI_INT, MPI_SUM, comm);
    MAKE(made, Reduce_init, d->mine, d->got, 1, MPI_INT, MPI_SUM, 0, comm);
    MAKE(made, Scan_init, d->mine, d->got, 1, MPI_INT, MPI_SUM, comm);
    MAKE(made, Exscan_init, d->mine, d->got, 1, MPI_INT, MPI_SUM, comm);
    MAKE(made, Reduce_scatter_init, d->mine, d->got, d->ones, MPI_INT, MPI_SUM, comm);
    MAKE(made, Reduce_scatter_block_init, d->mine, d->got, 1, MPI_INT, MPI_SUM, comm);
    MAKE(made, Gather_init, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, 0, comm);
    MAKE(made, Gatherv_init, d->mine, 1, MPI_INT, d->got, d->ones, d->places, MPI_INT, 0, comm);
    MAKE(made, Scatter_init, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, 0, comm);
    once(made);
    MAKE(made, Scatterv_init, d->mine, d->ones, d->places, MPI_INT, d->got, 1, MPI_INT, 0, comm);
    MAKE(made, Allgather_init, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, comm);
    MAKE(made, Allgatherv_init, d->mine, 1, MPI_INT, d->got, d->ones, d->places, MPI_INT, comm);
    MAKE(made, Alltoall_init, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, comm);
    MAKE(made, Alltoallv_init, d->mine, d->ones, d->places, MPI_INT, d->got, d->ones, d->places, MPI_INT,
         comm);
    MAKE(made, Alltoallw_init, d->mine, d->ones, d->bytes, d->types, d->got, d->ones, d->bytes, d->types,
         comm);
}

static void make_large(struct Data* d, MPI_Comm comm, struct Made* made) {
    MAKE(made, Bcast_init_c, &d->of_root, 1, MPI_INT, 0, comm);
    MAKE(made, Allreduce_init_c, d->mine, &d->sum, 1, MPI_INT, MPI_SUM, comm);
    MAKE(made, Reduce_init_c, d->mine, d->got, 1, MPI_INT, MPI_SUM, 0, comm);
    MAKE(made, Scan_init_c, d->mine, d->got, 1, MPI_INT, MPI_SUM, comm);
    MAKE(made, Exscan_init_c, d->mine, d->got, 1, MPI_INT, MPI_SUM, comm);
    MAKE(made, Reduce_scatter_init_c, d->mine, d->got, d->large_ones, MPI_INT, MPI_SUM, comm);
    MAKE(made, Reduce_scatter_block_init_c, d->mine, d->got, 1, MPI_INT, MPI_SUM, comm);
    MAKE(made, Gather_init_c, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, 0, comm);
    MAKE(made, Gatherv_init_c, d->mine, 1, MPI_INT, d->got, d->large_ones, d->large_places, MPI_INT, 0, comm);
    MAKE(made, Scatter_init_c, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, 0, comm);
    once(made);
    MAKE(made, Scatterv_init_c, d->mine, d->large_ones, d->large_places, MPI_INT, d->got, 1, MPI_INT, 0,
         comm);
    MAKE(made, Allgather_init_c, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, comm);
    MAKE(made, Allgatherv_init_c, d->mine, 1, MPI_INT, d->got, d->large_ones, d->large_places, MPI_INT, comm);
    MAKE(made, Alltoall_init_c, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, comm);
    MAKE(made, Alltoallv_init_c, d->mine, d->large_ones, d->large_places, MPI_INT, d->got, d->large_ones,
         d->large_places, MPI_INT, comm);
    MAKE(made, Alltoallw_init_c, d->mine, d->large_ones, d->large_bytes, d->types, d->got, d->large_ones,
         d->large_bytes, d->types, comm);
}

static void make_for_neighbours(struct Data* d, MPI_Comm comm, struct Made* made) {
    MAKE(made, Neighbor_allgather_init, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, comm);
    MAKE(made, Neighbor_allgatherv_init, d->mine, 1, MPI_INT, d->got, d->ones, d->places, MPI_INT, comm);
    MAKE(made, Neighbor_alltoall_init, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, comm);
    MAKE(made, Neighbor_alltoallv_init, d->mine, d->ones, d->places, MPI_INT, d->got, d->ones, d->places,
         MPI_INT, comm);
    MAKE(made, Neighbor_alltoallw_init, d->mine, d->ones, d->large_bytes, d->types, d->got, d->ones,
         d->large_bytes, d->types, comm);
    MAKE(made, Neighbor_allgather_init_c, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, comm);
    MAKE(made, Neighbor_allgatherv_init_c, d->mine, 1, MPI_INT, d->got, d->large_ones, d->large_places,
         MPI_INT, comm);
    MAKE(made, Neighbor_alltoall_init_c, d->mine, 1, MPI_INT, d->got, 1, MPI_INT, comm);
    MAKE(made, Neighbor_alltoallv_init_c, d->mine, d->large_ones, d->large_places, MPI_INT, d->got,
         d->large_ones, d->large_places, MPI_INT, comm);
    MAKE(made, Neighbor_alltoallw_init_c, d->mine, d->large_ones, d->large_bytes, d->types, d->got,
         d->large_ones, d->large_bytes, d->types, comm);
}

/* One after the other, or all at once where they have different results. */
static void use(struct Made* made) {
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < made->count; ++i) {
            MPI_Request* request = &made->requests[i];
            int done = 0;
            if (round > 0 && made->is_once[i]) continue;
            if (round == 0)
                CALL(Startall, 1, request);
            else
                CALL(Start, request);
            if (i % 2) CALL(Wait, request, MPI_STATUS_IGNORE);
            while (i % 2 == 0 && !done) CALL(Test, request, &done, MPI_STATUS_IGNORE);
        }
}

static void free_all(struct Made* made) {
    for (int i = 0; i < made->count; ++i) CALL(Request_free, &made->requests[i]);
}

/* Two that are started in one order on even ranks and in the other on odd ones. */
static void in_any_order(int rank, MPI_Comm comm) {
    int sums[2] = {0};
    MPI_Request both[2];
    CALL(Allreduce_init, &rank, &sums[0], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &both[0]);
    CALL(Allreduce_init, &rank, &sums[1], 1, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &both[1]);
    for (int round = 0; round < rounds; ++round) {
        CALL(Start, &both[rank % 2]);
        CALL(Start, &both[1 - rank % 2]);
        CALL(Waitall, 2, both, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; ++i) CALL(Request_free, &both[i]);
}

static void infos_and_copies(MPI_Comm comm) {
    MPI_Info info;
    MPI_Comm copy;
    MPI_Request request;
    char value[8];
    int length = sizeof value, flag = 0, error_class = 0, same = 0;
    CALL(Info_create_env, 0, NULL, &info);
    CALL(Info_set, info, "key", "value");
    CALL(Info_get_string, info, "key", &length, value, &flag);
    EXPECT(flag && length == 6);
    CALL(Comm_idup_with_info, comm, info, &copy, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    CALL(Comm_compare, comm, copy, &same);
    EXPECT(same == MPI_CONGRUENT);
    CALL(Barrier, copy);
    CALL(Comm_free, &copy);
    CALL(Info_free, &info);
    CALL(Error_class, MPI_ERR_ARG, &error_class);
    EXPECT(error_class == MPI_ERR_ARG);
}

void exercise_persistent_collectives(MPI_Comm comm) {
    struct Data data = {.of_root = 0};
    struct Made made = {0}, of_neighbours = {0};
    struct Ring ring = ring_of(comm);
    int periodic = 1;
    MPI_Comm neighbours;
    EXPECT(ring.ranks <= most);
    prepare(&data, ring.rank);
    if (ring.rank == 0) data.of_root = 42;
    make(&data, comm, &made);
    make_large(&data, comm, &made);
    use(&made);
    EXPECT(data.of_root == 42 && data.sum == ring.ranks * (ring.ranks - 1) / 2);
    free_all(&made);
    CALL(Cart_create, comm, 1, &ring.ranks, &periodic, 0, &neighbours);
    make_for_neighbours(&data, neighbours, &of_neighbours);
    use(&of_neighbours);
    free_all(&of_neighbours);
    CALL(Comm_free, &neighbours);
    in_any_order(ring.rank, comm);
    infos_and_copies(comm);
}

#endif
