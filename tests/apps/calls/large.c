/* Functions with counts of MPI_Count, alone and against those with counts of int; more bytes than 4 GiB where
 * nothing of them is moved. */
#include <stdio.h>

#include "families.h"

#if MPI_VERSION >= 4

enum { most = 64, values = 5, tag = 70 };
static const MPI_Count huge = 5 * (MPI_Count)1073741824 + 3;

static void book_sent_values(const struct Ring* ring, int messages) {
    for (int i = 0; i < messages; ++i) book_sent_items(ring->comm, ring->right, values, MPI_INT);
}

static void book_received_values(const struct Ring* ring, const int* in, int messages) {
    for (int i = 0; i < messages; ++i) book_received(ring->comm, ring->left, values * (MPI_Count)sizeof(int));
    for (int i = 0; i < values; ++i) EXPECT(in[i] == 100 * ring->left + i);
}

static void fill(const struct Ring* ring, int* out, int* in) {
    for (int i = 0; i < values; ++i) out[i] = 100 * ring->rank + i, in[i] = -1;
}

/* A send of each mode, received by a function of the other kind. */
static void blocking(const struct Ring* ring) {
    int out[values], in[values];
    MPI_Request request;
    for (int mode = 0; mode < 6; ++mode) {
        fill(ring, out, in);
        if (mode % 2)
            CALL(Irecv_c, in, values, MPI_INT, ring->left, tag, ring->comm, &request);
        else
            CALL(Irecv, in, values, MPI_INT, ring->left, tag, ring->comm, &request);
        CALL(Barrier, ring->comm); /* a ready send finds its receive */
        if (mode == 0) CALL(Send_c, out, values, MPI_INT, ring->right, tag, ring->comm);
        if (mode == 1) CALL(Send, out, values, MPI_INT, ring->right, tag, ring->comm);
        if (mode == 2) CALL(Ssend_c, out, values, MPI_INT, ring->right, tag, ring->comm);
        if (mode == 3) CALL(Bsend_c, out, values, MPI_INT, ring->right, tag, ring->comm);
        if (mode == 4) CALL(Rsend_c, out, values, MPI_INT, ring->right, tag, ring->comm);
        if (mode == 5) CALL(Send_c, out, values, MPI_INT, ring->right, tag, ring->comm);
        book_sent_values(ring, 1);
        CALL(Wait, &request, mode % 3 ? MPI_STATUS_IGNORE : &(MPI_Status){0});
        book_received_values(ring, in, 1);
    }
}

static void posted(const struct Ring* ring) {
    enum { sends = 5 };
    int out[values], in[sends][values];
    MPI_Request receives[sends], sent[sends];
    MPI_Status status;
    MPI_Message message;
    for (int i = 0; i < sends; ++i) fill(ring, out, in[i]);
    for (int i = 0; i < sends - 1; ++i)
        CALL(Irecv_c, in[i], values, MPI_INT, i % 2 ? MPI_ANY_SOURCE : ring->left, tag + i, ring->comm,
             &receives[i]);
    CALL(Barrier, ring->comm);
    CALL(Isend_c, out, values, MPI_INT, ring->right, tag, ring->comm, &sent[0]);
    CALL(Ibsend_c, out, values, MPI_INT, ring->right, tag + 1, ring->comm, &sent[1]);
    CALL(Irsend_c, out, values, MPI_INT, ring->right, tag + 2, ring->comm, &sent[2]);
    CALL(Issend_c, out, values, MPI_INT, ring->right, tag + 3, ring->comm, &sent[3]);
    CALL(Isend_c, out, values, MPI_INT, ring->right, tag + 4, ring->comm, &sent[4]);
    book_sent_values(ring, sends);
    CALL(Mprobe, ring->left, tag + 4, ring->comm, &message, &status);
    CALL(Imrecv_c, in[4], values, MPI_INT, &message, &receives[4]);
    CALL(Waitall, sends, receives, MPI_STATUSES_IGNORE);
    CALL(Waitall, sends, sent, MPI_STATUSES_IGNORE);
    for (int i = 0; i < sends; ++i) book_received_values(ring, in[i], 1);
    CALL(Barrier, ring->comm);
    fill(ring, out, in[0]);
    CALL(Isend, out, values, MPI_INT, ring->right, tag, ring->comm, &sent[0]);
    book_sent_values(ring, 1);
    CALL(Mprobe, ring->left, tag, ring->comm, &message, MPI_STATUS_IGNORE);
    CALL(Mrecv_c, in[0], values, MPI_INT, &message, MPI_STATUS_IGNORE);
    book_received_values(ring, in[0], 1);
    CALL(Wait, &sent[0], MPI_STATUS_IGNORE);
    CALL(Isend, out, values, MPI_INT, ring->right, tag, ring->comm, &sent[0]);
    book_sent_values(ring, 1);
    CALL(Recv_c, in[0], values, MPI_INT, ring->left, tag, ring->comm, MPI_STATUS_IGNORE);
    book_received_values(ring, in[0], 1);
    CALL(Wait, &sent[0], MPI_STATUS_IGNORE);
}

/* Without wildcards: MPICH 4.0 does not say in statuses what posted ones have received. */
static void exchanged(const struct Ring* ring) {
    int out[values], in[values];
    MPI_Request request;
    MPI_Status status;
    for (int way = 0; way < 6; ++way) {
        fill(ring, out, in);
        int is_replaced = way == 1 || way == 3 || way == 5;
        if (is_replaced) fill(ring, in, out);
        if (way == 0)
            CALL(Sendrecv_c, out, values, MPI_INT, ring->right, tag, in, values, MPI_INT, ring->left, tag,
                 ring->comm, &status);
        if (way == 1)
            CALL(Sendrecv_replace_c, in, values, MPI_INT, ring->right, tag, ring->left, tag, ring->comm,
                 MPI_STATUS_IGNORE);
        if (way == 2)
            CALL(Isendrecv_c, out, values, MPI_INT, ring->right, tag, in, values, MPI_INT, ring->left, tag,
                 ring->comm, &request);
        if (way == 3)
            CALL(Isendrecv_replace_c, in, values, MPI_INT, ring->right, tag, ring->left, tag, ring->comm,
                 &request);
        if (way == 4)
            CALL(Isendrecv, out, values, MPI_INT, ring->right, tag, in, values, MPI_INT, ring->left, tag,
                 ring->comm, &request);
        if (way == 5)
            CALL(Isendrecv_replace, in, values, MPI_INT, ring->right, tag, ring->left, tag, ring->comm,
                 &request);
        if (way >= 2) CALL(Wait, &request, way % 2 ? &status : MPI_STATUS_IGNORE);
        book_sent_values(ring, 1);
        book_received_values(ring, in, 1);
        CALL(Barrier, ring->comm);
    }
}

static void persistent(const struct Ring* ring) {
    enum { sends = 4, rounds = 3 };
    int out[values], in[sends][values];
    MPI_Request all[2 * sends];
    for (int i = 0; i < sends; ++i)
        CALL(Recv_init_c, in[i], values, MPI_INT, ring->left, tag + i, ring->comm, &all[i]);
    CALL(Send_init_c, out, values, MPI_INT, ring->right, tag, ring->comm, &all[sends]);
    CALL(Bsend_init_c, out, values, MPI_INT, ring->right, tag + 1, ring->comm, &all[sends + 1]);
    CALL(Rsend_init_c, out, values, MPI_INT, ring->right, tag + 2, ring->comm, &all[sends + 2]);
    CALL(Ssend_init_c, out, values, MPI_INT, ring->right, tag + 3, ring->comm, &all[sends + 3]);
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < sends; ++i) fill(ring, out, in[i]);
        CALL(Startall, sends, all);
        CALL(Barrier, ring->comm);
        CALL(Startall, sends, all + sends);
        CALL(Waitall, 2 * sends, all, MPI_STATUSES_IGNORE);
        book_sent_values(ring, sends);
        for (int i = 0; i < sends; ++i) book_received_values(ring, in[i], 1);
    }
    for (int i = 0; i < 2 * sends; ++i) CALL(Request_free, &all[i]);
}

/* Both forms of a collective. */
#define BOTH(blocking, posted, ...)                \
    do {                                           \
        MPI_Request request;                       \
        CALL(blocking, __VA_ARGS__, comm);         \
        CALL(posted, __VA_ARGS__, comm, &request); \
        CALL(Wait, &request, MPI_STATUS_IGNORE);   \
    } while (0)
#define BOTH_WITH_ROOT(blocking, posted, ...)         \
    do {                                              \
        MPI_Request request;                          \
        CALL(blocking, __VA_ARGS__, 0, comm);         \
        CALL(posted, __VA_ARGS__, 0, comm, &request); \
        CALL(Wait, &request, MPI_STATUS_IGNORE);      \
    } while (0)

static void collectives(MPI_Comm comm) {
    int rank, ranks, mine[most], got[most], sum = 0;
    MPI_Count ones[most];
    MPI_Aint places[most], bytes[most];
    MPI_Datatype types[most];
    CALL(Comm_rank, comm, &rank);
    CALL(Comm_size, comm, &ranks);
    EXPECT(ranks <= most);
    for (int i = 0; i < most; ++i) {
        mine[i] = rank, ones[i] = 1, places[i] = i, types[i] = MPI_INT;
        bytes[i] = i * (MPI_Aint)sizeof(int);
    }
    BOTH_WITH_ROOT(Bcast_c, Ibcast_c, mine, 1, MPI_INT);
    EXPECT(mine[0] == 0);
    mine[0] = rank;
    BOTH(Allreduce_c, Iallreduce_c, mine, &sum, 1, MPI_INT, MPI_SUM);
    EXPECT(sum == ranks * (ranks - 1) / 2);
    BOTH_WITH_ROOT(Reduce_c, Ireduce_c, mine, &sum, 1, MPI_INT, MPI_SUM);
    BOTH(Scan_c, Iscan_c, mine, &sum, 1, MPI_INT, MPI_SUM);
    BOTH(Exscan_c, Iexscan_c, mine, &sum, 1, MPI_INT, MPI_SUM);
    BOTH(Reduce_scatter_c, Ireduce_scatter_c, mine, got, ones, MPI_INT, MPI_SUM);
    BOTH(Reduce_scatter_block_c, Ireduce_scatter_block_c, mine, got, 1, MPI_INT, MPI_SUM);
    BOTH(Allgather_c, Iallgather_c, mine, 1, MPI_INT, got, 1, MPI_INT);
    BOTH(Allgatherv_c, Iallgatherv_c, mine, 1, MPI_INT, got, ones, places, MPI_INT);
    for (int r = 0; r < ranks; ++r) EXPECT(got[r] == r);
    BOTH_WITH_ROOT(Gather_c, Igather_c, mine, 1, MPI_INT, got, 1, MPI_INT);
    BOTH_WITH_ROOT(Gatherv_c, Igatherv_c, mine, 1, MPI_INT, got, ones, places, MPI_INT);
    BOTH_WITH_ROOT(Scatter_c, Iscatter_c, mine, 1, MPI_INT, got, 1, MPI_INT);
    BOTH_WITH_ROOT(Scatterv_c, Iscatterv_c, mine, ones, places, MPI_INT, got, 1, MPI_INT);
    BOTH(Alltoall_c, Ialltoall_c, mine, 1, MPI_INT, got, 1, MPI_INT);
    BOTH(Alltoallv_c, Ialltoallv_c, mine, ones, places, MPI_INT, got, ones, places, MPI_INT);
    BOTH(Alltoallw_c, Ialltoallw_c, mine, ones, bytes, types, got, ones, bytes, types);
    CALL(Reduce_local_c, mine, got, 1, MPI_INT, MPI_SUM);
}

static void neighbours(MPI_Comm world) {
    int ranks, periodic = 1, mine[4] = {0}, got[4];
    MPI_Comm comm;
    MPI_Count ones[2] = {1, 1};
    MPI_Aint places[2] = {0, 1}, bytes[2] = {0, sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    CALL(Comm_size, world, &ranks);
    CALL(Cart_create, world, 1, &ranks, &periodic, 0, &comm);
    BOTH(Neighbor_allgather_c, Ineighbor_allgather_c, mine, 1, MPI_INT, got, 1, MPI_INT);
    BOTH(Neighbor_allgatherv_c, Ineighbor_allgatherv_c, mine, 1, MPI_INT, got, ones, places, MPI_INT);
    BOTH(Neighbor_alltoall_c, Ineighbor_alltoall_c, mine, 1, MPI_INT, got, 1, MPI_INT);
    BOTH(Neighbor_alltoallv_c, Ineighbor_alltoallv_c, mine, ones, places, MPI_INT, got, ones, places,
         MPI_INT);
    BOTH(Neighbor_alltoallw_c, Ineighbor_alltoallw_c, mine, ones, bytes, types, got, ones, bytes, types);
    CALL(Comm_free, &comm);
}

static void one_sided(MPI_Comm comm) {
    int rank, window[8] = {0}, *memory, mine[1] = {1}, got[1];
    MPI_Win win;
    MPI_Request request;
    CALL(Comm_rank, comm, &rank);
    CALL(Win_create_c, window, sizeof window, sizeof(int), MPI_INFO_NULL, comm, &win);
    CALL(Win_lock_all, 0, win);
    CALL(Put_c, mine, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    CALL(Win_flush, rank, win);
    CALL(Get_c, got, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    CALL(Win_flush, rank, win);
    EXPECT(got[0] == 1);
    CALL(Accumulate_c, mine, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, win);
    CALL(Get_accumulate_c, mine, 1, MPI_INT, got, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, win);
    CALL(Rput_c, mine, 1, MPI_INT, rank, 1, 1, MPI_INT, win, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    CALL(Rget_c, got, 1, MPI_INT, rank, 1, 1, MPI_INT, win, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    CALL(Raccumulate_c, mine, 1, MPI_INT, rank, 2, 1, MPI_INT, MPI_SUM, win, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    CALL(Rget_accumulate_c, mine, 1, MPI_INT, got, 1, MPI_INT, rank, 2, 1, MPI_INT, MPI_SUM, win, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    CALL(Win_unlock_all, win);
    CALL(Win_free, &win);
    CALL(Win_allocate_c, sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
    CALL(Win_free, &win);
}

/* Types have sizes that need no memory, and a type of many bytes is one that lies on itself. */
static void types(void) {
    char byte = 0, packed[8];
    MPI_Count size = 0, position = 0, lb, count;
    MPI_Datatype on_itself, contiguous;
    CALL(Type_create_hvector_c, huge, 1, 0, MPI_BYTE, &on_itself);
    CALL(Type_commit, &on_itself);
    CALL(Type_size_c, on_itself, &size);
    EXPECT(size == huge);
    CALL(Type_get_extent_c, on_itself, &lb, &count);
    EXPECT(lb == 0 && count == 1);
    CALL(Send_c, &byte, 2, on_itself, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
    CALL(Send, &byte, 2, on_itself, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
    CALL(Type_free, &on_itself);
    CALL(Type_contiguous_c, 2, MPI_BYTE, &contiguous);
    CALL(Type_free, &contiguous);
    CALL(Pack_c, &byte, 1, MPI_BYTE, packed, sizeof packed, &position, MPI_COMM_WORLD);
    EXPECT(position == 1);
}

/* Nothing is moved if there is nobody, or nobody else. */
static void huge_counts(void) {
    char byte = 0;
    MPI_Request request;
    CALL(Send_c, &byte, huge, MPI_BYTE, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
    CALL(Isend_c, &byte, huge, MPI_BYTE, MPI_PROC_NULL, tag, MPI_COMM_WORLD, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    CALL(Recv_c, &byte, huge, MPI_BYTE, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CALL(Bcast_c, &byte, huge, MPI_BYTE, 0, MPI_COMM_SELF);
    CALL(Allreduce_c, MPI_IN_PLACE, &byte, huge, MPI_BYTE, MPI_BOR, MPI_COMM_SELF);
}

void exercise_large_files(MPI_Comm comm, const char* directory) {
    char path[4096];
    int rank, out[values], in[values];
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    CALL(Comm_rank, comm, &rank);
    snprintf(path, sizeof path, "%s/large", directory);
    for (int i = 0; i < values; ++i) out[i] = rank + i, in[i] = -1;
    const MPI_Offset offset = rank * (MPI_Offset)sizeof out;
    CALL(File_open, comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
         &file);
    CALL(File_write_at_c, file, offset, out, values, MPI_INT, &status);
    CALL(File_iwrite_at_c, file, offset, out, values, MPI_INT, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    CALL(File_write_at_all_c, file, offset, out, values, MPI_INT, MPI_STATUS_IGNORE);
    CALL(File_read_at_c, file, offset, in, values, MPI_INT, &status);
    for (int i = 0; i < values; ++i) EXPECT(in[i] == out[i]);
    CALL(File_close, &file);
}

void exercise_large(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    blocking(&ring);
    posted(&ring);
    exchanged(&ring);
    persistent(&ring);
    collectives(comm);
    neighbours(comm);
    one_sided(comm);
    types();
    huge_counts();
}

#endif
