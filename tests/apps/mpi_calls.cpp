// Calls every function of the mpi event model that this MPI library has, and says how often:
//
//     mpi_calls DIRECTORY
//
// writes DIRECTORY/calls.<rank> with a line "MPI_Send 1" per function. Exits 1 where a message or a reduction
// did not bring what it should.
#include <mpi.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

std::map<std::string, int> calls;
int rank = 0, ranks = 1;
bool correct = true;

#define CALL(name, ...) (++calls["MPI_" #name], MPI_##name(__VA_ARGS__))

void expect(bool holds) {
    correct = correct && holds;
}

int right() {
    return (rank + 1) % ranks;
}
int left() {
    return (rank + ranks - 1) % ranks;
}

MPI_Comm world() {
    return MPI_COMM_WORLD;
}

struct Incoming {
    int value = -1;
    MPI_Request request = MPI_REQUEST_NULL;

    Incoming() { CALL(Irecv, &value, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, &request); }
    void wait() {
        CALL(Wait, &request, MPI_STATUS_IGNORE);
        expect(value == left());
    }
};

void blocking_messages() {
    {
        Incoming in;
        CALL(Send, &rank, 1, MPI_INT, right(), 0, MPI_COMM_WORLD);
        in.wait();
    }
    {
        Incoming in;
        CALL(Ssend, &rank, 1, MPI_INT, right(), 0, MPI_COMM_WORLD);
        in.wait();
    }
    {
        Incoming in;
        CALL(Barrier, MPI_COMM_WORLD);
        CALL(Rsend, &rank, 1, MPI_INT, right(), 0, MPI_COMM_WORLD);
        in.wait();
    }
    std::vector<char> buffer(sizeof(int) + MPI_BSEND_OVERHEAD);
    CALL(Buffer_attach, buffer.data(), static_cast<int>(buffer.size()));
    CALL(Bsend, &rank, 1, MPI_INT, right(), 0, MPI_COMM_WORLD);
    int got = -1;
    CALL(Recv, &got, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(got == left());
    void* detached;
    int size;
    CALL(Buffer_detach, &detached, &size);
    CALL(Sendrecv, &rank, 1, MPI_INT, right(), 0, &got, 1, MPI_INT, left(), 0, MPI_COMM_WORLD,
         MPI_STATUS_IGNORE);
    expect(got == left());
    got = rank;
    CALL(Sendrecv_replace, &got, 1, MPI_INT, right(), 0, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(got == left());
}

void posted_messages() {
    std::vector<char> buffer(sizeof(int) + MPI_BSEND_OVERHEAD);
    CALL(Buffer_attach, buffer.data(), static_cast<int>(buffer.size()));
    int in[4];
    MPI_Request requests[8];
    for (int i = 0; i < 4; ++i) CALL(Irecv, &in[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &requests[i]);
    CALL(Barrier, MPI_COMM_WORLD);
    CALL(Isend, &rank, 1, MPI_INT, right(), 0, MPI_COMM_WORLD, &requests[4]);
    CALL(Ibsend, &rank, 1, MPI_INT, right(), 1, MPI_COMM_WORLD, &requests[5]);
    CALL(Irsend, &rank, 1, MPI_INT, right(), 2, MPI_COMM_WORLD, &requests[6]);
    CALL(Issend, &rank, 1, MPI_INT, right(), 3, MPI_COMM_WORLD, &requests[7]);
    CALL(Waitall, 8, requests, MPI_STATUSES_IGNORE);
    for (int value : in) expect(value == left());
    void* detached;
    int size;
    CALL(Buffer_detach, &detached, &size);
}

void completions() {
    int index, flag = 0, done, indices[1];
    int in = -1;
    auto exchange = [&](MPI_Request* requests) {
        CALL(Irecv, &in, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, &requests[0]);
        CALL(Send, &rank, 1, MPI_INT, right(), 0, MPI_COMM_WORLD);
    };
    MPI_Request request[1];
    exchange(request);
    CALL(Waitany, 1, request, &index, MPI_STATUS_IGNORE);
    exchange(request);
    CALL(Waitsome, 1, request, &done, indices, MPI_STATUSES_IGNORE);
    exchange(request);
    for (flag = 0; !flag;) CALL(Test, request, &flag, MPI_STATUS_IGNORE);
    exchange(request);
    for (flag = 0; !flag;) CALL(Testall, 1, request, &flag, MPI_STATUSES_IGNORE);
    exchange(request);
    for (flag = 0; !flag;) CALL(Testany, 1, request, &index, &flag, MPI_STATUS_IGNORE);
    exchange(request);
    for (done = 0; done < 1;) CALL(Testsome, 1, request, &done, indices, MPI_STATUSES_IGNORE);
    expect(in == left());
#if MPI_VERSION >= 4
    CALL(Isendrecv, &rank, 1, MPI_INT, right(), 0, &in, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, request);
    CALL(Wait, request, MPI_STATUS_IGNORE);
    in = rank;
    CALL(Isendrecv_replace, &in, 1, MPI_INT, right(), 0, left(), 0, MPI_COMM_WORLD, request);
    CALL(Wait, request, MPI_STATUS_IGNORE);
#endif
}

void collectives() {
    std::vector<int> ones(ranks, 1), all(ranks), counts(ranks, 1);
    int one = 1, sum = 0;
    CALL(Allgather, &one, 1, MPI_INT, all.data(), 1, MPI_INT, world());
    CALL(Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, world());
    expect(sum == ranks);
    CALL(Alltoall, ones.data(), 1, MPI_INT, all.data(), 1, MPI_INT, world());
    CALL(Barrier, world());
    CALL(Bcast, &one, 1, MPI_INT, 0, world());
    CALL(Gather, &one, 1, MPI_INT, all.data(), 1, MPI_INT, 0, world());
    CALL(Reduce, &one, &sum, 1, MPI_INT, MPI_SUM, 0, world());
    CALL(Reduce_scatter, ones.data(), &sum, counts.data(), MPI_INT, MPI_SUM, world());
    expect(sum == ranks);
    CALL(Reduce_scatter_block, ones.data(), &sum, 1, MPI_INT, MPI_SUM, world());
    CALL(Scatter, ones.data(), 1, MPI_INT, &sum, 1, MPI_INT, 0, world());
    CALL(Scan, &one, &sum, 1, MPI_INT, MPI_SUM, world());
    expect(sum == rank + 1);
    CALL(Exscan, &one, &sum, 1, MPI_INT, MPI_SUM, world());
}

void posted_collectives() {
    std::vector<int> ones(ranks, 1), all(ranks), counts(ranks, 1);
    int one = 1, sum = 0;
    MPI_Request request;
    auto wait = [&] { CALL(Wait, &request, MPI_STATUS_IGNORE); };
    CALL(Iallgather, &one, 1, MPI_INT, all.data(), 1, MPI_INT, world(), &request), wait();
    CALL(Iallreduce, &one, &sum, 1, MPI_INT, MPI_SUM, world(), &request), wait();
    expect(sum == ranks);
    CALL(Ialltoall, ones.data(), 1, MPI_INT, all.data(), 1, MPI_INT, world(), &request), wait();
    CALL(Ibarrier, world(), &request), wait();
    CALL(Ibcast, &one, 1, MPI_INT, 0, world(), &request), wait();
    CALL(Igather, &one, 1, MPI_INT, all.data(), 1, MPI_INT, 0, world(), &request), wait();
    CALL(Ireduce, &one, &sum, 1, MPI_INT, MPI_SUM, 0, world(), &request), wait();
    CALL(Ireduce_scatter, ones.data(), &sum, counts.data(), MPI_INT, MPI_SUM, world(), &request), wait();
    CALL(Ireduce_scatter_block, ones.data(), &sum, 1, MPI_INT, MPI_SUM, world(), &request), wait();
    CALL(Iscatter, ones.data(), 1, MPI_INT, &sum, 1, MPI_INT, 0, world(), &request), wait();
    CALL(Iscan, &one, &sum, 1, MPI_INT, MPI_SUM, world(), &request), wait();
    expect(sum == rank + 1);
    CALL(Iexscan, &one, &sum, 1, MPI_INT, MPI_SUM, world(), &request), wait();
}

bool write_counts(const std::string& directory) {
    std::FILE* file = std::fopen((directory + "/calls." + std::to_string(rank)).c_str(), "w");
    if (!file) return false;
    for (const auto& [name, count] : calls) std::fprintf(file, "%s %d\n", name.c_str(), count);
    return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    CALL(Init, &argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    blocking_messages();
    posted_messages();
    completions();
    collectives();
    posted_collectives();
    CALL(Finalize);
    return write_counts(argv[1]) && correct ? 0 : 1;
}
