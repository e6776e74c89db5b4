// Rounds of MPI_Allreduce on MPI_COMM_WORLD, each after MPI_Wtime and a message around the ring of ranks:
//
//     rounds COUNT [WORD]...
//
// late=ROUND       rank 0 comes 300 ms late to that round, which the others spend in MPI_Allreduce
// say=RANK@ROUND   before that round, from 0, that rank calls MPI_Pcontrol(5, "now")
// off=FROM-TO      MPI_Pcontrol(0) before the one round, (1) before the other
// posted           receives are posted one round ahead, and a copy of the communicator is made in each third
// nonblocking      MPI_Iallreduce and MPI_Wait in place of MPI_Allreduce
// ahead            in each round rank 0 begins two nonblocking collectives before it tells rank 1 to begin
// the first
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

struct Script {
    int rounds = 0, late = -1, speaker = -1, said = -1, off = -1, on = -1;
    bool posted = false, nonblocking = false, ahead = false;
};

Script script;
int rank, size;
MPI_Comm copy = MPI_COMM_NULL;
MPI_Request next = MPI_REQUEST_NULL;
int arrived;

bool read(std::string_view word) {
    const char* text = word.data();
    return std::sscanf(text, "late=%d", &script.late) == 1 ||
           std::sscanf(text, "say=%d@%d", &script.speaker, &script.said) == 2 ||
           std::sscanf(text, "off=%d-%d", &script.off, &script.on) == 2 ||
           (word == "posted" && (script.posted = true)) ||
           (word == "nonblocking" && (script.nonblocking = true)) ||
           (word == "ahead" && (script.ahead = true));
}

void pass_message(int round) {
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int got = 0;
    if (!script.posted) {
        MPI_Sendrecv(&round, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        return;
    }
    if (round % 3 == 0) {
        if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    }
    MPI_Barrier(copy);
    MPI_Request now = next;
    if (round > 0) MPI_Send(&round, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    if (round + 1 < script.rounds) MPI_Irecv(&arrived, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &next);
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): it began in the round before
    MPI_Wait(&now, MPI_STATUS_IGNORE);
}

void sum_up() {
    int one = 1, sum = 0;
    if (script.nonblocking) {
        MPI_Request request;
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (sum != size) MPI_Abort(MPI_COMM_WORLD, 3);
}

// A nonblocking collective never waits for the others.
void run_ahead() {
    int values[2] = {};
    MPI_Request requests[2];
    if (rank == 1) MPI_Recv(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; ++i) MPI_Ibcast(values + i, 1, MPI_INT, 0, MPI_COMM_WORLD, requests + i);
    if (rank == 0) MPI_Send(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void play(int round) {
    if (round == script.off) MPI_Pcontrol(0);
    if (round == script.on) MPI_Pcontrol(1, nullptr);
    if (rank == script.speaker && round == script.said) MPI_Pcontrol(5, "now");
    MPI_Wtime();
    pass_message(round);
    if (rank == 0 && round == script.late) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (script.ahead)
        run_ahead();
    else
        sum_up();
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2) return 2;
    script.rounds = std::atoi(argv[1]);
    for (int i = 2; i < argc; ++i)
        if (!read(argv[i])) return 2;
    for (int round = 0; round < script.rounds; ++round) play(round);
    if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
