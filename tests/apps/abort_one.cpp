// One rank ends early while the others wait for it:
//
//     abort_one abort|exit|segv|kill RANK
//
// by MPI_Abort with code 7, by exit with status 7, or by a signal.
#include <mpi.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1, "before the end");
    if (rank == std::atoi(argv[2])) {
        if (!std::strcmp(argv[1], "abort")) MPI_Abort(MPI_COMM_WORLD, 7);
        if (!std::strcmp(argv[1], "exit")) std::_Exit(7);
        std::raise(std::strcmp(argv[1], "kill") ? SIGSEGV : SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
