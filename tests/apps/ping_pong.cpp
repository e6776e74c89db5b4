// Rank 0 and every other rank in turn send a number to and fro:
//
//     ping_pong [ROUNDS [PAUSE]]
//
// with PAUSE microseconds between two rounds. It prints the last number, 2 ROUNDS (ranks - 1).
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int tag = 7;

// Sends the number, raised by one, and takes what comes back.
int exchange(int number, int partner) {
    ++number;
    MPI_Send(&number, 1, MPI_INT, partner, tag, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return number;
}

void answer() {
    int number = 0;
    MPI_Recv(&number, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++number;
    MPI_Send(&number, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
    auto pause = static_cast<useconds_t>(argc > 2 ? std::atoi(argv[2]) : 0);
    int rank = 0, ranks = 1, number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < rounds; ++round) {
        if (rank == 0)
            for (int partner = 1; partner < ranks; ++partner) number = exchange(number, partner);
        else
            answer();
        if (pause > 0) usleep(pause);
    }
    if (rank == 0) std::printf("%d\n", number);
    MPI_Finalize();
    return 0;
}
