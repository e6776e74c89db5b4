/* Collectives among neighbours on Cartesian grids, graphs and distributed graphs. */
#include "families.h"

enum { most = 8 };

struct Neighbours {
    MPI_Comm comm;
    int rank, in, out;
    int sources[most];
};

struct Lists {
    int ones[most], places[most];
    MPI_Aint byte_places[most];
    MPI_Datatype types[most];
};

static int arrived(const struct Neighbours* near, const int* got) {
    for (int i = 0; i < near->in; ++i)
        if (near->sources[i] != MPI_PROC_NULL && got[i] != 7 * near->sources[i]) return 0;
    return 1;
}

/* Every rank sends the same to all: where one is a neighbour twice, MPI does not say which comes first. */
#define BOTH(blocking, posted, ...)                 \
    do {                                            \
        MPI_Request request;                        \
        for (int i = 0; i < most; ++i) got[i] = -1; \
        CALL(blocking, __VA_ARGS__);                \
        EXPECT(arrived(near, got));                 \
        for (int i = 0; i < most; ++i) got[i] = -1; \
        CALL(posted, __VA_ARGS__, &request);        \
        CALL(Wait, &request, MPI_STATUS_IGNORE);    \
        EXPECT(arrived(near, got));                 \
    } while (0)

static void collectives(const struct Neighbours* near) {
    int mine[most], got[most];
    struct Lists lists;
    EXPECT(near->in <= most && near->out <= most);
    for (int i = 0; i < most; ++i) {
        mine[i] = 7 * near->rank;
        lists.ones[i] = 1;
        lists.places[i] = i;
        lists.byte_places[i] = i * (MPI_Aint)sizeof(int);
        lists.types[i] = MPI_INT;
    }
    BOTH(Neighbor_allgather, Ineighbor_allgather, mine, 1, MPI_INT, got, 1, MPI_INT, near->comm);
    BOTH(Neighbor_allgatherv, Ineighbor_allgatherv, mine, 1, MPI_INT, got, lists.ones, lists.places, MPI_INT,
         near->comm);
    BOTH(Neighbor_alltoall, Ineighbor_alltoall, mine, 1, MPI_INT, got, 1, MPI_INT, near->comm);
    BOTH(Neighbor_alltoallv, Ineighbor_alltoallv, mine, lists.ones, lists.places, MPI_INT, got, lists.ones,
         lists.places, MPI_INT, near->comm);
    BOTH(Neighbor_alltoallw, Ineighbor_alltoallw, mine, lists.ones, lists.byte_places, lists.types, got,
         lists.ones, lists.byte_places, lists.types, near->comm);
}

/* Periodic in one dimension and with an edge in the other: neighbours that are nobody. */
static void grid(const struct Ring* ring) {
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], rank, count, kind;
    struct Neighbours near = {.in = 4, .out = 4};
    CALL(Dims_create, ring->ranks, 2, dims);
    CALL(Cart_create, ring->comm, 2, dims, periods, 1, &near.comm);
    CALL(Comm_rank, near.comm, &near.rank);
    CALL(Cart_shift, near.comm, 0, 1, &near.sources[0], &near.sources[1]);
    CALL(Cart_shift, near.comm, 1, 1, &near.sources[2], &near.sources[3]);
    CALL(Cart_coords, near.comm, near.rank, 2, coords);
    CALL(Cart_rank, near.comm, coords, &rank);
    EXPECT(rank == near.rank);
    CALL(Cart_get, near.comm, 2, dims, periods, coords);
    CALL(Cartdim_get, near.comm, &count);
    CALL(Topo_test, near.comm, &kind);
    EXPECT(periods[0] && !periods[1] && count == 2 && kind == MPI_CART);
    CALL(Cart_map, ring->comm, 2, dims, periods, &rank);
    collectives(&near);
    CALL(Comm_free, &near.comm);
}

/* Every rank knows rank 0, and rank 0 all. */
static void star(const struct Ring* ring) {
    enum { most_ranks = most + 1 };
    int index[most_ranks], edges[2 * most_ranks], nodes, found, rank;
    struct Neighbours near = {0};
    if (ring->ranks < 2 || ring->ranks > most_ranks) return;
    for (int r = 0; r < ring->ranks; ++r) index[r] = ring->ranks - 1 + r;
    for (int r = 1; r < ring->ranks; ++r) edges[r - 1] = r, edges[ring->ranks - 2 + r] = 0;
    CALL(Graph_create, ring->comm, ring->ranks, index, edges, 0, &near.comm);
    CALL(Comm_rank, near.comm, &near.rank);
    CALL(Graph_neighbors_count, near.comm, near.rank, &near.in);
    near.out = near.in;
    CALL(Graph_neighbors, near.comm, near.rank, most, near.sources);
    CALL(Graphdims_get, near.comm, &nodes, &found);
    EXPECT(nodes == ring->ranks && found == 2 * (ring->ranks - 1));
    CALL(Graph_get, near.comm, ring->ranks, found, index, edges);
    CALL(Graph_map, ring->comm, ring->ranks, index, edges, &rank);
    collectives(&near);
    CALL(Comm_free, &near.comm);
}

static void distributed(const struct Ring* ring, MPI_Comm comm) {
    struct Neighbours near = {.comm = comm};
    int to[most], weights[most], more_weights[most], weighted;
    CALL(Comm_rank, comm, &near.rank);
    CALL(Dist_graph_neighbors_count, comm, &near.in, &near.out, &weighted);
    EXPECT(near.in == 1 && near.out == 1);
    CALL(Dist_graph_neighbors, comm, near.in, near.sources, weights, near.out, to, more_weights);
    EXPECT(near.sources[0] == ring->left && to[0] == ring->right);
    collectives(&near);
    CALL(Comm_free, &comm);
}

/* A ring in one direction: told by each rank of itself, and of its neighbour. */
static void rings(const struct Ring* ring) {
    MPI_Comm comm;
    int one = 1, weight = 3;
    CALL(Dist_graph_create_adjacent, ring->comm, 1, &ring->left, unweighted(), 1, &ring->right, unweighted(),
         MPI_INFO_NULL, 0, &comm);
    distributed(ring, comm);
    CALL(Dist_graph_create, ring->comm, 1, &ring->left, &one, &ring->rank, &weight, MPI_INFO_NULL, 0, &comm);
    distributed(ring, comm);
}

void exercise_neighbours(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    grid(&ring);
    star(&ring);
    rings(&ring);
}
