// Programs that hang for ever, on two ranks or more. Each rank says "N begins" first.
//
//     deadlock receives   ranks 0 and 1 receive from each other, and nobody sends
//     deadlock barrier    the last rank computes and never comes to the barrier of the others
//     deadlock tag        rank 0 sends tag 1 and comes to a barrier, rank 1 receives tag 2
//     deadlock send       rank 1 waits for three messages on a communicator with a name, rank 0 sends two
//     deadlock split      rank 0 receives from rank 2, which is in a barrier of the even ranks
//     deadlock finalize   rank 1 receives from rank 0, which is at its end
//     deadlock any        rank 1 receives from anybody, and nobody sends
//     deadlock other      the last rank comes to a reduction, the others to a barrier
//     deadlock init       the last rank never comes to MPI_Init
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int rank, ranks;

void say_begin() {
    std::printf("%d begins\n", rank);
    std::fflush(stdout);
}

void keep_the_last_from_init() {
    rank = std::atoi(std::getenv("OMPI_COMM_WORLD_RANK"));
    ranks = std::atoi(std::getenv("OMPI_COMM_WORLD_SIZE"));
    say_begin();
    while (rank == ranks - 1) pause();
}

void receive(int from, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    int number;
    MPI_Recv(&number, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
}

void send(int to, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    MPI_Send(&rank, 1, MPI_INT, to, tag, comm);
}

void one_message_less() {
    MPI_Comm halo;
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    if (rank == 1) {
        int numbers[3];
        MPI_Request requests[3];
        for (int tag = 0; tag < 3; ++tag) MPI_Irecv(&numbers[tag], 1, MPI_INT, 0, tag, halo, &requests[tag]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 0) {
        send(1, 0, halo);
        send(1, 2, halo);
    }
    MPI_Barrier(halo);
}

void split() {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank == 0) receive(2, 5);
    if (rank % 2 == 0) MPI_Barrier(half);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "init") == 0) keep_the_last_from_init();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    say_begin();
    auto is = [&](const char* name) { return argc > 1 && std::strcmp(argv[1], name) == 0; };
    if (is("receives") && rank < 2) receive(1 - rank, 7);
    if (is("barrier") && rank == ranks - 1)
        for (;;) pause();
    if (is("tag") && rank == 0) send(1, 1);
    if (is("tag") && rank == 1) receive(0, 2);
    if (is("send")) one_message_less();
    if (is("split")) split();
    if (is("finalize") && rank == 1) receive(0, 3);
    if (is("any") && rank == 1) receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
    if (is("other") && rank == ranks - 1) {
        int sum;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (!is("finalize")) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
