/* Messages that are looked for first: Probe, Iprobe, Mprobe and Improbe, from a rank and from any. */
#include "families.h"

enum Way { by_probe, by_iprobe, by_mprobe, by_improbe, ways };

/* Returns the letter's status; message is what a matching probe found. */
static MPI_Status find(enum Way way, int source, int tag, MPI_Comm comm, MPI_Message* message) {
    MPI_Status status;
    int flag = 0;
    if (way == by_probe) CALL(Probe, source, tag, comm, &status);
    if (way == by_mprobe) CALL(Mprobe, source, tag, comm, message, &status);
    while (way == by_iprobe && !flag) CALL(Iprobe, source, tag, comm, &flag, &status);
    while (way == by_improbe && !flag) CALL(Improbe, source, tag, comm, &flag, message, &status);
    return status;
}

static void fetch(struct Letter* in, enum Way way, const MPI_Status* found, MPI_Message* message) {
    int length;
    MPI_Status status;
    MPI_Request request;
    CALL(Get_count, found, MPI_INT, &length);
    expect_letter(in, found->MPI_SOURCE, found->MPI_TAG, in->comm);
    if (way == by_mprobe) {
        CALL(Mrecv, in->ints, length, MPI_INT, message, &status);
    } else if (way == by_improbe) {
        CALL(Imrecv, in->ints, letter_ints, MPI_INT, message, &request);
        CALL(Wait, &request, &status);
    } else {
        CALL(Recv, in->ints, length, MPI_INT, in->source, in->tag, in->comm, &status);
    }
    EXPECT(way < by_mprobe || *message == MPI_MESSAGE_NULL);
    receive_letter(in, &status);
}

static void probe_ring(const struct Ring* ring, enum Way way, int source, int tag, int length) {
    struct Letter in = {.comm = ring->comm};
    struct Pending pending = {0};
    MPI_Message message = MPI_MESSAGE_NULL;
    pend_send(&pending, &posted_sends[length == letter_ints], length, ring->right, 60 + (int)way, ring->comm);
    MPI_Status found = find(way, source, tag, ring->comm, &message);
    EXPECT(found.MPI_SOURCE == ring->left && found.MPI_TAG == 60 + (int)way);
    fetch(&in, way, &found, &message);
    complete(&pending, way, with_statuses);
}

/* Found without a status, received without one. */
static void without_status(const struct Ring* ring, enum Way way) {
    struct Letter in;
    struct Pending pending = {0};
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = 0;
    pend_send(&pending, &posted_sends[0], 9, ring->right, 70, ring->comm);
    expect_letter(&in, MPI_ANY_SOURCE, 70, ring->comm);
    if (way == by_mprobe) {
        CALL(Mprobe, MPI_ANY_SOURCE, 70, ring->comm, &message, MPI_STATUS_IGNORE);
        CALL(Mrecv, in.ints, letter_ints, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
        while (!flag) CALL(Improbe, MPI_ANY_SOURCE, 70, ring->comm, &flag, &message, MPI_STATUS_IGNORE);
        CALL(Imrecv, in.ints, letter_ints, MPI_INT, &message, &request);
        CALL(Wait, &request, MPI_STATUS_IGNORE);
    }
    receive_letter(&in, MPI_STATUS_IGNORE);
    complete(&pending, way, without_statuses);
    CALL(Barrier, ring->comm);
}

static void nothing_there(const struct Ring* ring) {
    int flag = 1;
    MPI_Message message;
    CALL(Iprobe, MPI_ANY_SOURCE, 71, ring->comm, &flag, MPI_STATUS_IGNORE);
    EXPECT(!flag);
    flag = 1;
    CALL(Improbe, ring->left, 71, ring->comm, &flag, &message, MPI_STATUS_IGNORE);
    EXPECT(!flag);
}

void exercise_probes(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    nothing_there(&ring);
    for (enum Way way = by_probe; way < ways; ++way) {
        probe_ring(&ring, way, ring.left, 60 + (int)way, letter_ints);
        probe_ring(&ring, way, ring.left, MPI_ANY_TAG, 0);
        CALL(Barrier, comm);
        probe_ring(&ring, way, MPI_ANY_SOURCE, MPI_ANY_TAG, 11);
        CALL(Barrier, comm);
    }
    without_status(&ring, by_mprobe);
    without_status(&ring, by_improbe);
}
