// A library that starts MPI, with threads: from run_plugin(), or as soon as it is loaded where PLUGIN_STARTS
// is set. Words: "leaves" never calls MPI_Finalize, "killed" has rank 1 die by SIGKILL before it.
#include <mpi.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {

void start() {
    int started = 0, provided = 0;
    MPI_Initialized(&started);
    if (!started) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
}

[[gnu::constructor]] void loaded() {
    if (std::getenv("PLUGIN_STARTS")) start();
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int run_plugin(const char* word) {
    start();
    int rank = 0, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (std::strcmp(word, "leaves") == 0) return 0;
    if (std::strcmp(word, "killed") == 0 && rank == 1) std::raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == 1 ? 0 : 1;
}
