// Receives whose requests are freed. Two ranks: rank 0 receives, each tag is a case.
#include <mpi.h>

#include <initializer_list>

namespace {

enum Tag : int {
    first_of_kind = 1,
    before_another,
    from_anybody,
    before_one_in_doubt,
    cancelled,
    unwanted,
    in_a_pause
};

void free_receive(int source, Tag tag) {
    static int room[8];
    static int used = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&room[used++], 1, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
    if (tag == cancelled) MPI_Cancel(&request);
    MPI_Request_free(&request);
}

void receive(Tag tag) {
    int got = 0;
    MPI_Recv(&got, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void receive_all() {
    free_receive(1, first_of_kind);
    free_receive(1, before_another);
    receive(before_another);
    free_receive(MPI_ANY_SOURCE, from_anybody);
    free_receive(MPI_ANY_SOURCE, before_one_in_doubt);
    receive(before_one_in_doubt);
    free_receive(1, cancelled);
    MPI_Barrier(MPI_COMM_WORLD);
    receive(cancelled);
    MPI_Pcontrol(0);
    free_receive(1, in_a_pause);
    MPI_Pcontrol(1, nullptr);
    receive(in_a_pause);
}

void send(Tag tag) {
    const int sent = tag;
    MPI_Send(&sent, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

void send_all() {
    for (Tag tag : {first_of_kind, before_another, before_another, from_anybody, before_one_in_doubt,
                    before_one_in_doubt})
        send(tag);
    MPI_Barrier(MPI_COMM_WORLD);
    for (Tag tag : {cancelled, unwanted, in_a_pause, in_a_pause}) send(tag);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rank == 0 ? receive_all() : send_all();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
