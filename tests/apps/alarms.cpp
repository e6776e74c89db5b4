// usage: alarms [trap]: five steps of a solver, with markers in its code; prints the sum of the results. With
// `trap` each step executes an int3, too, which ends the program if nobody waits for it.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

constexpr int steps = 5;
constexpr size_t cells = 4000;

void mark() {
#ifdef __x86_64__
    asm volatile("movl $0x11223344, %%ebx; .byte 0x64, 0x67, 0x90" ::: "ebx");
    asm volatile("xchg %%ebx, %%ebx" : : "a"(4), "b"(1), "c"(2));
    uint32_t a = 7, b, c = 0, d;
    asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
#endif
}

void trap() {
#ifdef __x86_64__
    asm volatile("int3");
#endif
}

}  // namespace

namespace solver {

[[gnu::noinline]] double solve(std::array<double, cells>& field) {
    double sum = 0;
    for (int round = 0; round < 100; ++round)
        for (size_t i = 1; i + 1 < cells; ++i) {
            field[i] = (field[i - 1] + field[i] + field[i + 1]) / 3;
            sum += field[i];
        }
    return sum;
}

}  // namespace solver

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const bool traps = argc > 1 && std::strcmp(argv[1], "trap") == 0;
    static std::array<double, cells> field;
    field[cells / 2] = 1;
    double sum = 0;
    for (int step = 0; step < steps; ++step) {
        char name[] = "solve";
        MPI_Pcontrol(1, name);
        mark();
        if (traps) trap();
        sum += solver::solve(field);
        MPI_Pcontrol(-1, name);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    const double start = MPI_Wtime();
    while (MPI_Wtime() - start < 0.1) {
    }
    std::printf("%.6f\n", sum);
    MPI_Finalize();
    return 0;
}
