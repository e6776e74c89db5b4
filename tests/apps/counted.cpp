// Touches new pages between two barriers, and again in the region "touch"; prints for each rank the page
// faults of both, as getrusage counts them.
#include <mpi.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdio>

namespace {

constexpr size_t pages = 400, page = 4096;

long touch() {
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    void* memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    auto* bytes = static_cast<volatile char*>(memory);
    for (size_t i = 0; i < pages; ++i) bytes[i * page] = 1;
    munmap(memory, pages * page);
    getrusage(RUSAGE_THREAD, &after);
    return after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const long between = touch();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1, "touch");
    const long in_region = touch();
    MPI_Pcontrol(-1, "touch");
    MPI_Pcontrol(0, "");
    touch();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1, static_cast<char*>(nullptr));
    MPI_Barrier(MPI_COMM_WORLD);
    std::printf("%d %ld %ld\n", rank, between, in_region);
    std::fflush(stdout);
    MPI_Finalize();
}
