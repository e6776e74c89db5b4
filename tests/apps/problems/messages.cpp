// Problems of messages.
#include <mpi.h>

#include "problem.hpp"

namespace planted {

namespace {

void send(int to) {
    const double number = 0;
    const Loses time;
    MPI_Send(&number, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
    ++facts.messages;
}
void receive(int from) {
    double number = 0;
    const Loses time;
    MPI_Recv(&number, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Rank 0 asks for a late message, and computes `ms` after each answer.
void poll(int ms) {
    double number = 0;
    for (int step = 0; step < 2; ++step) {
        compute(rank == 1 ? 500 : 100);
        if (rank == 1) {
            keeps_others_waiting();
            MPI_Send(&number, 1, MPI_DOUBLE, 0, step, MPI_COMM_WORLD);
            continue;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(&number, 1, MPI_DOUBLE, 1, step, MPI_COMM_WORLD, &request);
        for (int is_done = 0; is_done == 0;) {
            {
                const Loses time;
                MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
            }
            if (is_done == 0 && ms > 0) compute(ms);
        }
    }
}

}  // namespace

void late_sender() {
    double number = 0;
    for (int step = 0; step < 4; ++step) {
        compute(rank == 1 ? 250 : 100);
        if (rank == 1) {
            keeps_others_waiting();
            MPI_Send(&number, 1, MPI_DOUBLE, 0, step, MPI_COMM_WORLD);
        } else {
            const Loses time;
            MPI_Recv(&number, 1, MPI_DOUBLE, 1, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

// A pipeline that its first rank starts late.
void chain() {
    double number = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    compute(rank == 0 ? 700 : 100);
    if (rank > 0) {
        const Loses time;
        MPI_Recv(&number, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    compute(10);
    if (rank == ranks - 1) return;
    if (rank == 0) keeps_others_waiting();
    MPI_Send(&number, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
}

// Never ends.
void deadlock() {
    receive(1 - rank);
    send(1 - rank);
}

void polling_with_work() {
    poll(10);
}
void polling_wait() {
    poll(0);
}

// Many messages of 8 bytes: rank 0 and rank 1 send in turns. Recording takes about as long as a message does,
// and so computing takes most of the run.
void message_storm() {
    constexpr int messages_of_a_turn = 40000;
    for (int turn = 0; turn < 4; ++turn) {
        compute(150);
        for (int i = 0; i < messages_of_a_turn; ++i) {
            if (rank == turn % 2)
                send(1 - rank);
            else
                receive(1 - rank);
        }
    }
}

}  // namespace planted
