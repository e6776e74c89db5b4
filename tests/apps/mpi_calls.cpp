// Calls every function of the mpi event model that the reference knows and this MPI library has:
//
//     mpi_calls DIRECTORY
//
// writes DIRECTORY/calls.<rank> and DIRECTORY/traffic.<rank>. Exits 1 where a message or a reduction did not
// bring what it should.
#include <vector>

#include "calls/account.h"

namespace {

int rank = 0, ranks = 1;

int right() {
    return (rank + 1) % ranks;
}
int left() {
    return (rank + ranks - 1) % ranks;
}

MPI_Comm world() {
    return MPI_COMM_WORLD;
}

// Every message is one int to the right neighbour, who is told here.
int to_right() {
    book_sent(world(), right(), sizeof(int));
    return right();
}
void came_from_left(int value) {
    book_received(world(), left(), sizeof(int));
    EXPECT(value == left());
}

struct Incoming {
    int value = -1;
    MPI_Request request = MPI_REQUEST_NULL;

    Incoming() { CALL(Irecv, &value, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, &request); }
    void wait() {
        CALL(Wait, &request, MPI_STATUS_IGNORE);
        came_from_left(value);
    }
};

void blocking_messages() {
    {
        Incoming in;
        CALL(Send, &rank, 1, MPI_INT, to_right(), 0, MPI_COMM_WORLD);
        in.wait();
    }
    {
        Incoming in;
        CALL(Ssend, &rank, 1, MPI_INT, to_right(), 0, MPI_COMM_WORLD);
        in.wait();
    }
    {
        Incoming in;
        CALL(Barrier, MPI_COMM_WORLD);
        CALL(Rsend, &rank, 1, MPI_INT, to_right(), 0, MPI_COMM_WORLD);
        in.wait();
    }
    CALL(Bsend, &rank, 1, MPI_INT, to_right(), 0, MPI_COMM_WORLD);
    int got = -1;
    CALL(Recv, &got, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    came_from_left(got);
    CALL(Sendrecv, &rank, 1, MPI_INT, to_right(), 0, &got, 1, MPI_INT, left(), 0, MPI_COMM_WORLD,
         MPI_STATUS_IGNORE);
    came_from_left(got);
    got = rank;
    CALL(Sendrecv_replace, &got, 1, MPI_INT, to_right(), 0, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    came_from_left(got);
}

void posted_messages() {
    int in[4];
    MPI_Request requests[8];
    for (int i = 0; i < 4; ++i) CALL(Irecv, &in[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &requests[i]);
    CALL(Barrier, MPI_COMM_WORLD);
    CALL(Isend, &rank, 1, MPI_INT, to_right(), 0, MPI_COMM_WORLD, &requests[4]);
    CALL(Ibsend, &rank, 1, MPI_INT, to_right(), 1, MPI_COMM_WORLD, &requests[5]);
    CALL(Irsend, &rank, 1, MPI_INT, to_right(), 2, MPI_COMM_WORLD, &requests[6]);
    CALL(Issend, &rank, 1, MPI_INT, to_right(), 3, MPI_COMM_WORLD, &requests[7]);
    CALL(Waitall, 8, requests, MPI_STATUSES_IGNORE);
    for (int value : in) came_from_left(value);
}

void completions() {
    int index, flag = 0, done, indices[1];
    int in = -1;
    auto exchange = [&](MPI_Request* requests) {
        CALL(Irecv, &in, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, &requests[0]);
        CALL(Send, &rank, 1, MPI_INT, to_right(), 0, MPI_COMM_WORLD);
    };
    MPI_Request request[1];
    exchange(request);
    CALL(Waitany, 1, request, &index, MPI_STATUS_IGNORE);
    came_from_left(in);
    exchange(request);
    CALL(Waitsome, 1, request, &done, indices, MPI_STATUSES_IGNORE);
    came_from_left(in);
    exchange(request);
    for (flag = 0; !flag;) CALL(Test, request, &flag, MPI_STATUS_IGNORE);
    came_from_left(in);
    exchange(request);
    for (flag = 0; !flag;) CALL(Testall, 1, request, &flag, MPI_STATUSES_IGNORE);
    came_from_left(in);
    exchange(request);
    for (flag = 0; !flag;) CALL(Testany, 1, request, &index, &flag, MPI_STATUS_IGNORE);
    came_from_left(in);
    exchange(request);
    for (done = 0; done < 1;) CALL(Testsome, 1, request, &done, indices, MPI_STATUSES_IGNORE);
    came_from_left(in);
#if MPI_VERSION >= 4
    CALL(Isendrecv, &rank, 1, MPI_INT, to_right(), 0, &in, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, request);
    CALL(Wait, request, MPI_STATUS_IGNORE);
    came_from_left(in);
    in = rank;
    CALL(Isendrecv_replace, &in, 1, MPI_INT, to_right(), 0, left(), 0, MPI_COMM_WORLD, request);
    CALL(Wait, request, MPI_STATUS_IGNORE);
    came_from_left(in);
#endif
}

void collectives() {
    std::vector<int> ones(ranks, 1), all(ranks), counts(ranks, 1);
    int one = 1, sum = 0;
    CALL(Allgather, &one, 1, MPI_INT, all.data(), 1, MPI_INT, world());
    CALL(Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, world());
    EXPECT(sum == ranks);
    CALL(Alltoall, ones.data(), 1, MPI_INT, all.data(), 1, MPI_INT, world());
    CALL(Barrier, world());
    CALL(Bcast, &one, 1, MPI_INT, 0, world());
    CALL(Gather, &one, 1, MPI_INT, all.data(), 1, MPI_INT, 0, world());
    CALL(Reduce, &one, &sum, 1, MPI_INT, MPI_SUM, 0, world());
    CALL(Reduce_scatter, ones.data(), &sum, counts.data(), MPI_INT, MPI_SUM, world());
    EXPECT(sum == ranks);
    CALL(Reduce_scatter_block, ones.data(), &sum, 1, MPI_INT, MPI_SUM, world());
    CALL(Scatter, ones.data(), 1, MPI_INT, &sum, 1, MPI_INT, 0, world());
    CALL(Scan, &one, &sum, 1, MPI_INT, MPI_SUM, world());
    EXPECT(sum == rank + 1);
    CALL(Exscan, &one, &sum, 1, MPI_INT, MPI_SUM, world());
}

void posted_collectives() {
    std::vector<int> ones(ranks, 1), all(ranks), counts(ranks, 1);
    int one = 1, sum = 0;
    MPI_Request request;
    auto wait = [&] { CALL(Wait, &request, MPI_STATUS_IGNORE); };
    CALL(Iallgather, &one, 1, MPI_INT, all.data(), 1, MPI_INT, world(), &request), wait();
    CALL(Iallreduce, &one, &sum, 1, MPI_INT, MPI_SUM, world(), &request), wait();
    EXPECT(sum == ranks);
    CALL(Ialltoall, ones.data(), 1, MPI_INT, all.data(), 1, MPI_INT, world(), &request), wait();
    CALL(Ibarrier, world(), &request), wait();
    CALL(Ibcast, &one, 1, MPI_INT, 0, world(), &request), wait();
    CALL(Igather, &one, 1, MPI_INT, all.data(), 1, MPI_INT, 0, world(), &request), wait();
    CALL(Ireduce, &one, &sum, 1, MPI_INT, MPI_SUM, 0, world(), &request), wait();
    CALL(Ireduce_scatter, ones.data(), &sum, counts.data(), MPI_INT, MPI_SUM, world(), &request), wait();
    CALL(Ireduce_scatter_block, ones.data(), &sum, 1, MPI_INT, MPI_SUM, world(), &request), wait();
    CALL(Iscatter, ones.data(), 1, MPI_INT, &sum, 1, MPI_INT, 0, world(), &request), wait();
    CALL(Iscan, &one, &sum, 1, MPI_INT, MPI_SUM, world(), &request), wait();
    EXPECT(sum == rank + 1);
    CALL(Iexscan, &one, &sum, 1, MPI_INT, MPI_SUM, world(), &request), wait();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    CALL(Init, &argc, &argv);
    open_account();
    rank = my_rank;
    ranks = all_ranks;
    blocking_messages();
    posted_messages();
    completions();
    collectives();
    posted_collectives();
    return close_account(argv[1]);
}
