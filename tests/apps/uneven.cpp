// 12 rounds of MPI_Allreduce on MPI_COMM_WORLD, in which rank 1 does something else than the others:
//
// uneven refused   MPI refuses a broadcast of its before round 2
// uneven jump      it has left a call by longjmp before, and lies deeper in its stack since
// uneven hidden    it makes a broadcast of all before round 2 by PMPI, which no tracer sees
//
// Before round 6, rank 0 calls MPI_Pcontrol(5, "now").
#include <mpi.h>

#include <csetjmp>
#include <string_view>

namespace {

std::jmp_buf place;

void leave(MPI_Comm*, int*, ...) {
    std::longjmp(place, 1);
}

template <class Call>
void leave_by_jump(Call call) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(place) == 0) call();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
}

void be_refused() {
    int nothing = 0;
    if (MPI_Bcast(&nothing, -1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);
}

void send_to_nobody() {
    MPI_Send(nullptr, 0, MPI_INT, 99, 0, MPI_COMM_WORLD);
}

[[gnu::noinline]] void play(int round, int rank) {
    volatile char frame[4096];
    frame[0] = 0;
    if (round == 6 && rank == 0) MPI_Pcontrol(5, "now");
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    frame[1] = frame[0];
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::string_view word = argc > 1 ? argv[1] : "";
    if (word == "jump" && rank == 1) leave_by_jump(send_to_nobody);
    for (int round = 0; round < 12; ++round) {
        if (round == 2 && word == "refused" && rank == 1) be_refused();
        if (round == 2 && word == "hidden")
            (rank == 1 ? PMPI_Bcast : MPI_Bcast)(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        play(round, rank);
    }
    MPI_Finalize();
    return 0;
}
