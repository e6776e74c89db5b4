/* Partitioned messages, started often, next to others with their tag, and several of one tag. */
#include "families.h"

#if MPI_VERSION >= 4

enum { partitions = 4, items = 6, tag = 75, rounds = 3, pairs = 2 };

static void all_ready(MPI_Request request, int way) {
    int list[partitions];
    for (int i = 0; i < partitions; ++i) list[i] = partitions - 1 - i;
    if (way == 0)
        for (int i = 0; i < partitions; ++i) CALL(Pready, i, request);
    if (way == 1) CALL(Pready_range, 0, partitions - 1, request);
    if (way == 2) CALL(Pready_list, partitions, list, request);
}

/* The sender has other partitions than the receiver. */
void exercise_partitioned(MPI_Comm comm) {
    const MPI_Count bytes = partitions * items * (MPI_Count)sizeof(int);
    struct Ring ring = ring_of(comm);
    int out[pairs][partitions * items], in[pairs][partitions * items], got = -1, arrived = 0;
    MPI_Request sends[pairs], receives[pairs], usual;
    for (int p = 0; p < pairs; ++p) {
        CALL(Psend_init, out[p], partitions, items, MPI_INT, ring.right, tag, comm, MPI_INFO_NULL, &sends[p]);
        CALL(Precv_init, in[p], partitions / 2, 2 * items, MPI_INT, ring.left, tag, comm, MPI_INFO_NULL,
             &receives[p]);
    }
    for (int round = 0; round < rounds; ++round) {
        for (int p = 0; p < pairs; ++p)
            for (int i = 0; i < partitions * items; ++i) {
                out[p][i] = 1000 * ring.rank + 100 * round + 10 * p + i, in[p][i] = -1;
            }
        /* Even ranks start them in the other order. */
        int first = ring.rank % 2;
        CALL(Start, &receives[first]);
        CALL(Start, &receives[1 - first]);
        CALL(Startall, pairs, sends);
        CALL(Irecv, &got, 1, MPI_INT, ring.left, tag, comm, &usual);
        CALL(Send, &ring.rank, 1, MPI_INT, ring.right, tag, comm);
        book_sent_items(comm, ring.right, 1, MPI_INT);
        for (int p = 0; p < pairs; ++p) {
            all_ready(sends[p], (round + p) % 3);
            book_sent(comm, ring.right, bytes);
        }
        CALL(Parrived, receives[0], 0, &arrived);
        CALL(Waitall, pairs, receives, MPI_STATUSES_IGNORE);
        CALL(Waitall, pairs, sends, MPI_STATUSES_IGNORE);
        CALL(Wait, &usual, MPI_STATUS_IGNORE);
        EXPECT(got == ring.left);
        book_received(comm, ring.left, sizeof(int));
        for (int p = 0; p < pairs; ++p) {
            book_received(comm, ring.left, bytes);
            for (int i = 0; i < partitions * items; ++i)
                EXPECT(in[p][i] == 1000 * ring.left + 100 * round + 10 * p + i);
        }
    }
    for (int p = 0; p < pairs; ++p) {
        CALL(Request_free, &sends[p]);
        CALL(Request_free, &receives[p]);
    }
}

#endif
