#include "letters.h"

int* unweighted(void) {
    return MPI_UNWEIGHTED;
}

struct Ring ring_of(MPI_Comm comm) {
    struct Ring ring = {.comm = comm};
    CALL(Comm_rank, comm, &ring.rank);
    CALL(Comm_size, comm, &ring.ranks);
    ring.right = (ring.rank + 1) % ring.ranks;
    ring.left = (ring.rank + ring.ranks - 1) % ring.ranks;
    return ring;
}

static int value_at(int place, int sender, int tag) {
    return 1000 * (sender + 1) + 10 * place + tag % 100;
}

struct Letter letter_to_send(int length, int tag) {
    struct Letter letter = {.ints = {my_rank, length, tag}, .length = length, .tag = tag};
    for (int i = header_ints; i < length; ++i) letter.ints[i] = value_at(i, my_rank, tag);
    return letter;
}

void expect_letter(struct Letter* letter, int source, int tag, MPI_Comm comm) {
    letter->source = source;
    letter->tag = tag;
    letter->comm = comm;
    for (int i = 0; i < letter_ints; ++i) letter->ints[i] = -1;
}

static void check_content(const struct Letter* letter, int length, int tag) {
    const int* ints = letter->ints;
    EXPECT(ints[1] == length && ints[2] == tag);
    long sum = length + 1;
    for (int i = header_ints; i < length; ++i) {
        EXPECT(ints[i] == value_at(i, ints[0], tag));
        sum += ints[i];
    }
    EXPECT(length == letter_ints || ints[length] == -1);
    add_to_checksum(sum);
}

void receive_letter(const struct Letter* letter, const MPI_Status* status) {
    int is_empty = letter->ints[0] == -1;
    int length = is_empty ? 0 : letter->ints[1], source = letter->source, tag = letter->tag;
    /* MPICH 4.0 says that a posted one of these comes from rank 0. */
    if (source == MPI_PROC_NULL) {
        EXPECT(is_empty);
        return;
    }
    if (status != MPI_STATUS_IGNORE) {
        int cancelled;
        CALL(Test_cancelled, status, &cancelled);
        if (cancelled) return;
        CALL(Get_count, status, MPI_INT, &length);
        EXPECT(source == MPI_ANY_SOURCE || source == status->MPI_SOURCE);
        EXPECT(tag == MPI_ANY_TAG || tag == status->MPI_TAG);
        source = status->MPI_SOURCE;
        tag = status->MPI_TAG;
    }
    EXPECT(is_empty == (length == 0));
    if (!is_empty) check_content(letter, length, tag == MPI_ANY_TAG ? letter->ints[2] : tag);
    if (status != MPI_STATUS_IGNORE)
        book_received_status(letter->comm, status);
    else if (source != MPI_ANY_SOURCE)
        book_received(letter->comm, source, length * (MPI_Count)sizeof(int));
    else
        book_received(MPI_COMM_WORLD, letter->ints[0], length * (MPI_Count)sizeof(int));
    if (!is_empty && source != MPI_ANY_SOURCE) EXPECT(world_rank(letter->comm, source) == letter->ints[0]);
}

void book_letter(const struct Letter* letter, int dest, MPI_Comm comm) {
    book_sent_items(comm, dest, letter->length, MPI_INT);
}

#define MODE(name) \
    { "MPI_" #name, MPI_##name }
const struct BlockingSend blocking_sends[modes] = {MODE(Send), MODE(Bsend), MODE(Ssend), MODE(Rsend)};
const struct PostedSend posted_sends[modes] = {MODE(Isend), MODE(Ibsend), MODE(Issend), MODE(Irsend)};
const struct PostedSend persistent_sends[modes] = {MODE(Send_init), MODE(Bsend_init), MODE(Ssend_init),
                                                   MODE(Rsend_init)};

void send_letter(const struct BlockingSend* mode, const struct Letter* letter, int dest, MPI_Comm comm) {
    book_letter(letter, dest, comm);
    count_call(mode->name);
    mode->call(letter->ints, letter->length, MPI_INT, dest, letter->tag, comm);
}

MPI_Request* pend(struct Pending* pending) {
    EXPECT(pending->count < most_pending);
    pending->receives[pending->count] = 0;
    pending->requests[pending->count] = MPI_REQUEST_NULL;
    return &pending->requests[pending->count++];
}

void pend_receive(struct Pending* pending, int source, int tag, MPI_Comm comm) {
    int place = pending->count;
    MPI_Request* request = pend(pending);
    pending->receives[place] = 1;
    expect_letter(&pending->letters[place], source, tag, comm);
    CALL(Irecv, pending->letters[place].ints, letter_ints, MPI_INT, source, tag, comm, request);
}

void pend_send(struct Pending* pending, const struct PostedSend* mode, int length, int dest, int tag,
               MPI_Comm comm) {
    struct Letter* letter = &pending->letters[pending->count];
    *letter = letter_to_send(length, tag);
    book_letter(letter, dest, comm);
    count_call(mode->name);
    mode->call(letter->ints, length, MPI_INT, dest, tag, comm, pend(pending));
}

static void completed(struct Pending* pending, int place, const MPI_Status* status) {
    if (pending->receives[place]) receive_letter(&pending->letters[place], status);
    pending->receives[place] = 0;
}

/* The place of a status in an array that may be none. */
static MPI_Status* at(MPI_Status* statuses, int place) {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[place];
}

static void by_wait(struct Pending* pending, MPI_Status* statuses) {
    for (int i = 0; i < pending->count; ++i) {
        CALL(Wait, &pending->requests[i], at(statuses, 0));
        completed(pending, i, at(statuses, 0));
    }
}

static void by_test(struct Pending* pending, MPI_Status* statuses) {
    for (int i = 0; i < pending->count; ++i) {
        for (int flag = 0; !flag;) CALL(Test, &pending->requests[i], &flag, at(statuses, 0));
        completed(pending, i, at(statuses, 0));
    }
}

static void by_waitall(struct Pending* pending, MPI_Status* statuses) {
    CALL(Waitall, pending->count, pending->requests, statuses);
    for (int i = 0; i < pending->count; ++i) completed(pending, i, at(statuses, i));
}

static void by_testall(struct Pending* pending, MPI_Status* statuses) {
    for (int flag = 0; !flag;) CALL(Testall, pending->count, pending->requests, &flag, statuses);
    for (int i = 0; i < pending->count; ++i) completed(pending, i, at(statuses, i));
}

static void by_waitany(struct Pending* pending, MPI_Status* statuses) {
    for (;;) {
        int index;
        CALL(Waitany, pending->count, pending->requests, &index, at(statuses, 0));
        if (index == MPI_UNDEFINED) return;
        completed(pending, index, at(statuses, 0));
    }
}

static void by_testany(struct Pending* pending, MPI_Status* statuses) {
    for (;;) {
        int index, flag = 0;
        while (!flag) CALL(Testany, pending->count, pending->requests, &index, &flag, at(statuses, 0));
        if (index == MPI_UNDEFINED) return;
        completed(pending, index, at(statuses, 0));
    }
}

static void by_waitsome(struct Pending* pending, MPI_Status* statuses) {
    for (;;) {
        int done, indices[most_pending];
        CALL(Waitsome, pending->count, pending->requests, &done, indices, statuses);
        if (done == MPI_UNDEFINED) return;
        for (int i = 0; i < done; ++i) completed(pending, indices[i], at(statuses, i));
    }
}

static void by_testsome(struct Pending* pending, MPI_Status* statuses) {
    for (;;) {
        int done, indices[most_pending];
        CALL(Testsome, pending->count, pending->requests, &done, indices, statuses);
        if (done == MPI_UNDEFINED) return;
        for (int i = 0; i < done; ++i) completed(pending, indices[i], at(statuses, i));
    }
}

void complete(struct Pending* pending, int way, enum Statuses statuses) {
    static void (*const ways[ways_to_complete])(struct Pending*, MPI_Status*) = {
        by_wait, by_waitall, by_waitany, by_waitsome, by_test, by_testall, by_testany, by_testsome};
    MPI_Status array[most_pending];
    ways[way](pending, statuses == with_statuses ? array : MPI_STATUSES_IGNORE);
    for (int i = 0; i < pending->count; ++i) EXPECT(!pending->receives[i]);
}
