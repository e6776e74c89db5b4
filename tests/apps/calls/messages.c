/* Blocking and posted messages: modes, lengths, nobody as a partner, types, exchanges, wildcards, probes. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "families.h"

static const int lengths[] = {0, header_ints, 17, letter_ints};
enum { lengths_tried = sizeof lengths / sizeof *lengths };

static void blocking_in_mode(const struct Ring* ring, int mode) {
    for (int i = 0; i < lengths_tried; ++i) {
        struct Pending pending = {0};
        struct Letter letter = letter_to_send(lengths[i], 10 + mode);
        pend_receive(&pending, ring->left, letter.tag, ring->comm);
        CALL(Barrier, ring->comm); /* a ready send finds its receive */
        send_letter(&blocking_sends[mode], &letter, ring->right, ring->comm);
        complete(&pending, 0, i % 2 ? with_statuses : without_statuses);
    }
}

static void posted_in_mode(const struct Ring* ring, int mode) {
    struct Pending pending = {0};
    for (int i = 0; i < lengths_tried; ++i) pend_receive(&pending, ring->left, 20 + i, ring->comm);
    CALL(Barrier, ring->comm);
    for (int i = 0; i < lengths_tried; ++i)
        pend_send(&pending, &posted_sends[mode], lengths[i], ring->right, 20 + i, ring->comm);
    complete(&pending, 1, mode % 2 ? with_statuses : without_statuses);
}

/* Even ranks send first, and the last of an odd number of ranks first receives. */
static void blocking_on_both_sides(const struct Ring* ring) {
    if (ring->ranks < 2) return;
    struct Letter out = letter_to_send(letter_ints, 30), in;
    for (int turn = 0; turn < 2; ++turn) {
        if (turn == ring->rank % 2) CALL(Ssend, out.ints, out.length, MPI_INT, ring->right, 30, ring->comm);
        if (turn == ring->rank % 2) book_letter(&out, ring->right, ring->comm);
        if (turn != ring->left % 2) continue;
        MPI_Status status;
        expect_letter(&in, ring->left, 30, ring->comm);
        CALL(Recv, in.ints, letter_ints, MPI_INT, ring->left, 30, ring->comm, &status);
        receive_letter(&in, &status);
    }
}

static void nobody(const struct Ring* ring) {
    struct Pending pending = {0};
    struct Letter letter = letter_to_send(5, 31), in;
    MPI_Status status;
    MPI_Message message;
    int flag;
    for (int mode = 0; mode < modes; ++mode) {
        send_letter(&blocking_sends[mode], &letter, MPI_PROC_NULL, ring->comm);
        pend_send(&pending, &posted_sends[mode], 5, MPI_PROC_NULL, 31, ring->comm);
    }
    pend_receive(&pending, MPI_PROC_NULL, 31, ring->comm);
    complete(&pending, 1, with_statuses);
    expect_letter(&in, MPI_PROC_NULL, MPI_ANY_TAG, ring->comm);
    CALL(Recv, in.ints, letter_ints, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, ring->comm, &status);
    receive_letter(&in, &status);
    CALL(Iprobe, MPI_PROC_NULL, 1, ring->comm, &flag, &status);
    EXPECT(flag && status.MPI_SOURCE == MPI_PROC_NULL);
    CALL(Mprobe, MPI_PROC_NULL, 1, ring->comm, &message, MPI_STATUS_IGNORE);
    EXPECT(message == MPI_MESSAGE_NO_PROC);
    CALL(Mrecv, in.ints, letter_ints, MPI_INT, &message, &status);
    receive_letter(&in, &status);
    CALL(Sendrecv, letter.ints, 5, MPI_INT, MPI_PROC_NULL, 1, in.ints, 5, MPI_INT, MPI_PROC_NULL, 1,
         ring->comm, MPI_STATUS_IGNORE);
}

/* Every second int of 2 * n, with a hole behind. */
static void strided(const struct Ring* ring) {
    enum { n = 500 };
    int out[2 * n], in[2 * n];
    MPI_Datatype every_second;
    MPI_Request request;
    MPI_Status status;
    for (int i = 0; i < 2 * n; ++i) out[i] = my_rank + i, in[i] = -1;
    CALL(Type_vector, n, 1, 2, MPI_INT, &every_second);
    CALL(Type_commit, &every_second);
    CALL(Irecv, in, n, MPI_INT, ring->left, 32, ring->comm, &request);
    book_sent_items(ring->comm, ring->right, 1, every_second);
    CALL(Send, out, 1, every_second, ring->right, 32, ring->comm);
    CALL(Wait, &request, &status);
    book_received_status(ring->comm, &status);
    for (int i = 0; i < n; ++i) EXPECT(in[i] == world_rank(ring->comm, ring->left) + 2 * i);
    EXPECT(in[n] == -1);
    CALL(Type_free, &every_second);
}

/* A struct of 5 bytes, received by a type of several. */
static void mixed(const struct Ring* ring) {
    struct Mixed {
        char letter;
        int number;
    } out[3] = {{'a', my_rank}, {'b', 7}, {'c', 9}}, in[6];
    MPI_Datatype packed, resized;
    MPI_Request request;
    MPI_Status status;
    int items;
    CALL(Type_create_struct, 2, (int[]){1, 1}, (MPI_Aint[]){0, offsetof(struct Mixed, number)},
         (MPI_Datatype[]){MPI_CHAR, MPI_INT}, &packed);
    CALL(Type_create_resized, packed, 0, sizeof(struct Mixed), &resized);
    CALL(Type_commit, &resized);
    CALL(Irecv, in, 6, resized, ring->left, 33, ring->comm, &request);
    book_sent_items(ring->comm, ring->right, 3, resized);
    CALL(Send, out, 3, resized, ring->right, 33, ring->comm);
    CALL(Wait, &request, &status);
    book_received_status(ring->comm, &status);
    CALL(Get_count, &status, resized, &items);
    EXPECT(items == 3 && in[0].letter == 'a' && in[0].number == world_rank(ring->comm, ring->left));
    EXPECT(in[2].letter == 'c' && in[2].number == 9);
    CALL(Type_free, &resized);
    CALL(Type_free, &packed);
}

/* Types of more bytes than an int can count: nothing of one is sent, and part of one is received. */
static void large_counts(const struct Ring* ring) {
    const size_t bytes = (size_t)3 << 30;
    MPI_Datatype page, large;
    MPI_Request request;
    MPI_Status status;
    MPI_Count size;
    int count, out[100] = {my_rank};
    int* in = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (in == MAP_FAILED) return;
    CALL(Type_contiguous, 1024, MPI_INT, &page);
    CALL(Type_contiguous, (int)(bytes / 4096), page, &large);
    CALL(Type_commit, &large);
    CALL(Type_size_x, large, &size);
    EXPECT(size == (MPI_Count)bytes);
    CALL(Irecv, in, 1, large, ring->left, 34, ring->comm, &request);
    book_sent_items(ring->comm, ring->right, 100, MPI_INT);
    CALL(Send, out, 100, MPI_INT, ring->right, 34, ring->comm);
    CALL(Wait, &request, &status);
    book_received_status(ring->comm, &status);
    CALL(Get_count, &status, large, &count);
    EXPECT(count == MPI_UNDEFINED && in[0] == world_rank(ring->comm, ring->left));
    book_sent_items(ring->comm, ring->right, 0, large);
    book_received(ring->comm, ring->left, 0);
    CALL(Sendrecv, in, 0, large, ring->right, 35, in, 0, large, ring->left, 35, ring->comm,
         MPI_STATUS_IGNORE);
    CALL(Type_free, &large);
    CALL(Type_free, &page);
    munmap(in, bytes);
}

/* Longer than any eager limit. */
static void long_message(const struct Ring* ring) {
    enum { n = 1 << 18 };
    char *out = malloc(n), *in = malloc(2 * (size_t)n);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    memset(out, 'a' + my_rank % 26, n);
    CALL(Isend, out, n, MPI_CHAR, ring->right, 36, ring->comm, &requests[0]);
    book_sent(ring->comm, ring->right, n);
    CALL(Irecv, in, 2 * n, MPI_CHAR, ring->left, 36, ring->comm, &requests[1]);
    CALL(Waitall, 2, requests, statuses);
    book_received_status(ring->comm, &statuses[1]);
    EXPECT(in[n - 1] == 'a' + world_rank(ring->comm, ring->left) % 26);
    free(in);
    free(out);
}

static void exchanges(const struct Ring* ring) {
    struct Letter out = letter_to_send(20, 40), in;
    MPI_Status status;
    expect_letter(&in, ring->left, 40, ring->comm);
    book_letter(&out, ring->right, ring->comm);
    CALL(Sendrecv, out.ints, out.length, MPI_INT, ring->right, 40, in.ints, letter_ints, MPI_INT, ring->left,
         40, ring->comm, &status);
    receive_letter(&in, &status);
    expect_letter(&in, MPI_ANY_SOURCE, MPI_ANY_TAG, ring->comm);
    CALL(Barrier, ring->comm);
    book_letter(&out, ring->left, ring->comm);
    CALL(Sendrecv, out.ints, out.length, MPI_INT, ring->left, 40, in.ints, letter_ints, MPI_INT,
         MPI_ANY_SOURCE, MPI_ANY_TAG, ring->comm, MPI_STATUS_IGNORE);
    receive_letter(&in, MPI_STATUS_IGNORE);
    CALL(Barrier, ring->comm); /* later messages are not for the wildcards */
    for (int ignore = 0; ignore < 2; ++ignore) {
        out = letter_to_send(letter_ints, 41);
        book_letter(&out, ring->right, ring->comm);
        CALL(Sendrecv_replace, out.ints, letter_ints, MPI_INT, ring->right, 41, ring->left, 41, ring->comm,
             ignore ? MPI_STATUS_IGNORE : &status);
        out.source = ring->left;
        out.comm = ring->comm;
        receive_letter(&out, ignore ? MPI_STATUS_IGNORE : &status);
    }
}

/* Not a ring: the ends have a neighbour less. */
static void line(const struct Ring* ring) {
    int last = ring->rank == ring->ranks - 1;
    int right = last ? MPI_PROC_NULL : ring->right, left = ring->rank == 0 ? MPI_PROC_NULL : ring->left;
    struct Letter out = letter_to_send(8, 43), in;
    MPI_Status status;
    expect_letter(&in, left, 43, ring->comm);
    book_letter(&out, right, ring->comm);
    CALL(Sendrecv, out.ints, 8, MPI_INT, right, 43, in.ints, letter_ints, MPI_INT, left, 43, ring->comm,
         &status);
    receive_letter(&in, &status);
    out = letter_to_send(letter_ints, 44);
    out.source = right;
    out.comm = ring->comm;
    book_letter(&out, left, ring->comm);
    CALL(Sendrecv_replace, out.ints, letter_ints, MPI_INT, left, 44, right, 44, ring->comm,
         MPI_STATUS_IGNORE);
    if (right != MPI_PROC_NULL) receive_letter(&out, MPI_STATUS_IGNORE);
}

/* The largest tag, and any tag of one rank. */
static void tags(const struct Ring* ring) {
    int *largest, found;
    CALL(Comm_get_attr, MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
    for (int way = 0; way < ways_to_complete; ++way) {
        struct Pending pending = {0};
        pend_receive(&pending, ring->left, MPI_ANY_TAG, ring->comm);
        pend_receive(&pending, ring->left, *largest, ring->comm);
        pend_send(&pending, &posted_sends[0], 5, ring->right, *largest - 1, ring->comm);
        pend_send(&pending, &posted_sends[2], 6, ring->right, *largest, ring->comm);
        complete(&pending, way, way % 2 ? with_statuses : without_statuses);
    }
}

static void receive_any(MPI_Comm comm, int tag, enum Statuses statuses) {
    struct Letter in;
    MPI_Status status;
    MPI_Status* used = statuses == with_statuses ? &status : MPI_STATUS_IGNORE;
    expect_letter(&in, MPI_ANY_SOURCE, tag, comm);
    CALL(Recv, in.ints, letter_ints, MPI_INT, MPI_ANY_SOURCE, tag, comm, used);
    receive_letter(&in, used);
}

/* Rank 0 hears of the others in any order, by blocking and posted receives of any tag and of one. */
static void wildcards(const struct Ring* ring) {
    for (int kind = 0; kind < 8; ++kind) {
        enum Statuses statuses = kind % 2 ? with_statuses : without_statuses;
        int tag = kind & 4 ? MPI_ANY_TAG : 50 + kind;
        struct Pending pending = {0};
        CALL(Barrier, ring->comm); /* what is sent for one kind is not received by another */
        if (ring->rank != 0) {
            pend_send(&pending, &posted_sends[kind % 2], 3 + kind, 0, 50 + kind, ring->comm);
        } else if (kind & 2) {
            for (int i = 1; i < ring->ranks && i < most_pending; ++i)
                pend_receive(&pending, MPI_ANY_SOURCE, tag, ring->comm);
        } else {
            for (int i = 1; i < ring->ranks && i < most_pending; ++i) receive_any(ring->comm, tag, statuses);
        }
        complete(&pending, kind, statuses);
    }
    CALL(Barrier, ring->comm);
}

void exercise_messages(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    for (int mode = 0; mode < modes; ++mode) {
        blocking_in_mode(&ring, mode);
        posted_in_mode(&ring, mode);
    }
    blocking_on_both_sides(&ring);
    nobody(&ring);
    strided(&ring);
    mixed(&ring);
    large_counts(&ring);
    long_message(&ring);
    exchanges(&ring);
    line(&ring);
    tags(&ring);
    wildcards(&ring);
}
