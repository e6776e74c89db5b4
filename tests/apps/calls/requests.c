/* Requests: completed in every way and mix, persistent, cancelled, asked about, freed, and generalized ones.
 */
#include <stdint.h>

#include "families.h"

/* Receives of one rank and of any, sends, collectives, no request and an inactive one at once. */
static void mix(const struct Ring* ring, int way, enum Statuses statuses) {
    struct Pending pending = {0};
    int one = 1, sum = 0, root = ring->rank == 0 ? 42 : 0;
    MPI_Request inactive;
    CALL(Send_init, &one, 1, MPI_INT, ring->right, 1, ring->comm, &inactive);
    pend_receive(&pending, ring->left, 1, ring->comm);
    pend_receive(&pending, MPI_ANY_SOURCE, 2, ring->comm);
    pend(&pending);
    *pend(&pending) = inactive;
    CALL(Iallreduce, &one, &sum, 1, MPI_INT, MPI_SUM, ring->comm, pend(&pending));
    CALL(Ibcast, &root, 1, MPI_INT, 0, ring->comm, pend(&pending));
    pend_receive(&pending, MPI_PROC_NULL, 3, ring->comm);
    pend_receive(&pending, MPI_ANY_SOURCE, 4, ring->comm);
    for (int tag = 1; tag <= 4; tag += tag == 2 ? 2 : 1)
        pend_send(&pending, &posted_sends[tag % 3], statuses == with_statuses && way % 2 ? 0 : 3 * tag,
                  tag == 4 ? ring->left : ring->right, tag, ring->comm);
    complete(&pending, way, statuses);
    EXPECT(sum == ring->ranks && root == 42);
    CALL(Request_free, &inactive);
    CALL(Barrier, ring->comm);
}

enum { persistent_letters = modes + 1 };

/* One receive per mode, and one that takes what comes from anywhere. */
static void make_persistent(const struct Ring* ring, struct Pending* in, struct Pending* out) {
    for (int i = 0; i < persistent_letters; ++i) {
        int source = i < modes ? ring->left : MPI_ANY_SOURCE;
        expect_letter(&in->letters[i], source, 80 + i, ring->comm);
        CALL(Recv_init, in->letters[i].ints, letter_ints, MPI_INT, source, 80 + i, ring->comm, pend(in));
        out->letters[i] = letter_to_send(header_ints + i, 80 + i);
        count_call(persistent_sends[i % modes].name);
        persistent_sends[i % modes].call(out->letters[i].ints, header_ints + i, MPI_INT, ring->right, 80 + i,
                                         ring->comm, pend(out));
    }
}

static void start(struct Pending* pending, int together) {
    if (together) CALL(Startall, pending->count, pending->requests);
    for (int i = 0; i < pending->count && !together; ++i) CALL(Start, &pending->requests[i]);
}

static void persistent(const struct Ring* ring) {
    struct Pending in = {0}, out = {0};
    MPI_Request nobody;
    MPI_Status status;
    int count = -1;
    make_persistent(ring, &in, &out);
    for (int round = 0; round < ways_to_complete; ++round) {
        for (int i = 0; i < in.count; ++i) {
            expect_letter(&in.letters[i], in.letters[i].source, in.letters[i].tag, ring->comm);
            in.receives[i] = 1;
            book_letter(&out.letters[i], ring->right, ring->comm);
        }
        start(&in, round % 2);
        CALL(Barrier, ring->comm); /* ready sends find their receives */
        start(&out, round % 2);
        complete(&in, round, round % 3 ? with_statuses : without_statuses);
        complete(&out, (round + 3) % ways_to_complete, without_statuses);
    }
    for (int i = 0; i < in.count; ++i) {
        CALL(Request_free, &in.requests[i]);
        CALL(Request_free, &out.requests[i]);
    }
    CALL(Recv_init, &in, 1, MPI_INT, MPI_PROC_NULL, 1, ring->comm, &nobody);
    CALL(Start, &nobody);
    CALL(Wait, &nobody, &status);
    CALL(Get_count, &status, MPI_INT, &count);
    EXPECT(count == 0);
    CALL(Request_free, &nobody);
}

/* Nobody sends what these wait for; the persistent one receives a letter afterwards. */
static void cancelled(const struct Ring* ring) {
    struct Letter in, out = letter_to_send(4, 91);
    MPI_Request request, again;
    MPI_Status status;
    int flag = 0;
    expect_letter(&in, MPI_ANY_SOURCE, 90, ring->comm);
    CALL(Irecv, in.ints, letter_ints, MPI_INT, MPI_ANY_SOURCE, 90, ring->comm, &request);
    CALL(Cancel, &request);
    CALL(Wait, &request, &status);
    CALL(Test_cancelled, &status, &flag);
    EXPECT(flag);
    receive_letter(&in, &status);
    CALL(Irecv, in.ints, letter_ints, MPI_INT, ring->left, 90, ring->comm, &request);
    CALL(Cancel, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    expect_letter(&in, ring->left, 91, ring->comm);
    CALL(Recv_init, in.ints, letter_ints, MPI_INT, ring->left, 91, ring->comm, &again);
    CALL(Start, &again);
    CALL(Cancel, &again);
    CALL(Wait, &again, &status);
    receive_letter(&in, &status);
    CALL(Barrier, ring->comm); /* now letters may come */
    CALL(Start, &again);
    send_letter(&blocking_sends[0], &out, ring->right, ring->comm);
    CALL(Wait, &again, &status);
    CALL(Test_cancelled, &status, &flag);
    EXPECT(!flag);
    receive_letter(&in, &status);
    CALL(Request_free, &again);
}

/* A message that was received cannot be cancelled any more. */
static void cancelled_too_late(const struct Ring* ring) {
    struct Pending pending = {0};
    pend_receive(&pending, ring->left, 93, ring->comm);
    pend_send(&pending, &posted_sends[0], 10, ring->right, 93, ring->comm);
    for (int flag = 0; !flag;) CALL(Request_get_status, pending.requests[0], &flag, MPI_STATUS_IGNORE);
    CALL(Cancel, &pending.requests[0]);
    complete(&pending, 6, with_statuses);
}

/* More at once than any small array holds, the last receive posted first. */
static void many(const struct Ring* ring) {
    enum { n = 100 };
    int in[n], out[n], indices[2 * n], done, completed = 0, from = world_rank(ring->comm, ring->left);
    MPI_Request requests[2 * n];
    MPI_Status statuses[2 * n];
    for (int i = 0; i < n; ++i) {
        CALL(Irecv, &in[i], 1, MPI_INT, ring->left, n - i, ring->comm, &requests[i]);
        out[i] = 1000 * my_rank + i;
    }
    for (int i = 0; i < n; ++i) {
        book_sent(ring->comm, ring->right, sizeof out[i]);
        CALL(Isend, &out[i], 1, MPI_INT, ring->right, i + 1, ring->comm, &requests[n + i]);
    }
    while (completed < 2 * n) {
        CALL(Waitsome, 2 * n, requests, &done, indices, statuses);
        for (int i = 0; i < done; ++i)
            if (indices[i] < n) book_received_status(ring->comm, &statuses[i]);
        completed += done;
    }
    for (int i = 0; i < n; ++i) EXPECT(in[i] == 1000 * from + n - 1 - i);
}

/* A receive that is done stays a request until it is completed; a send may be forgotten. */
static void asked_about_and_freed(const struct Ring* ring) {
    struct Letter out = letter_to_send(letter_ints, 92);
    struct Pending pending = {0};
    MPI_Status status;
    MPI_Request forgotten;
    int flag = 0;
    CALL(Request_get_status, MPI_REQUEST_NULL, &flag, &status);
    EXPECT(flag);
    pend_receive(&pending, ring->left, 92, ring->comm);
    CALL(Request_get_status, pending.requests[0], &flag, MPI_STATUS_IGNORE);
    CALL(Isend, out.ints, letter_ints, MPI_INT, ring->right, 92, ring->comm, &forgotten);
    CALL(Request_free, &forgotten);
    book_letter(&out, ring->right, ring->comm);
    for (flag = 0; !flag;) CALL(Request_get_status, pending.requests[0], &flag, &status);
    EXPECT(status.MPI_SOURCE == ring->left && pending.requests[0] != MPI_REQUEST_NULL);
    complete(&pending, 0, with_statuses);
    CALL(Barrier, ring->comm); /* the letter is gone before its memory is */
}

/* The callbacks are called by MPI. */
static int query(void* state, MPI_Status* status) {
    CALL(Status_set_elements, status, MPI_INT, *(int*)state);
    CALL(Status_set_cancelled, status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int release(void* state) {
    *(int*)state = 0;
    return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
    (void)complete;
    *(int*)state = -1;
    return MPI_SUCCESS;
}

static void generalized(const struct Ring* ring) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int state = 5, items = 0, flag;
    CALL(Grequest_start, query, release, cancel, &state, &requests[0]);
    CALL(Test, &requests[0], &flag, MPI_STATUS_IGNORE);
    EXPECT(!flag);
    CALL(Grequest_complete, requests[0]);
    CALL(Ibarrier, ring->comm, &requests[1]);
    CALL(Waitall, 2, requests, statuses);
    CALL(Get_count, &statuses[0], MPI_INT, &items);
    EXPECT(items == 5 && state == 0);
    CALL(Grequest_start, query, release, cancel, &state, &requests[0]);
    CALL(Cancel, &requests[0]);
    CALL(Grequest_complete, requests[0]);
    CALL(Request_free, &requests[0]);
    EXPECT(state == 0);
}

static void nothing_active(void) {
    struct Pending pending = {0};
    for (int way = 0; way < ways_to_complete; ++way) {
        complete(&pending, way, with_statuses);
        complete(&pending, way, without_statuses);
        pend(&pending);
    }
}

void exercise_requests(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    for (int way = 0; way < ways_to_complete; ++way) {
        mix(&ring, way, with_statuses);
        mix(&ring, way, without_statuses);
    }
    persistent(&ring);
    cancelled(&ring);
    cancelled_too_late(&ring);
    many(&ring);
    asked_about_and_freed(&ring);
    generalized(&ring);
    nothing_active();
}
