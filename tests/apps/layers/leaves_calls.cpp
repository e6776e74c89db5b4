// usage: leaves_calls throw|jump    An error handler leaves MPI_Send so. Prints CLOCK_MONOTONIC a while after
// that.
#include <mpi.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>

static jmp_buf out;

static void throws(MPI_Comm*, int*, ...) {
    throw std::runtime_error("no such rank");
}

static void jumps(MPI_Comm*, int*, ...) {
    longjmp(out, 1);
}

static void send_to_nobody(bool is_jump) {
    constexpr int nobody = 1000;
    if (is_jump) {
        if (setjmp(out) == 0) MPI_Send(nullptr, 0, MPI_INT, nobody, 0, MPI_COMM_WORLD);
        return;
    }
    try {
        MPI_Send(nullptr, 0, MPI_INT, nobody, 0, MPI_COMM_WORLD);
    } catch (const std::runtime_error&) {
    }
}

int main(int argc, char** argv) {
    const bool is_jump = argc > 1 && std::strcmp(argv[1], "jump") == 0;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(is_jump ? jumps : throws, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    send_to_nobody(is_jump);
    usleep(20000);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    std::printf("%lld\n", static_cast<long long>(now.tv_sec) * 1000000000 + now.tv_nsec);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
