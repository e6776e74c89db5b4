/* openmp-constructs [BATCHES]: ns per empty parallel region, barrier and task: medians of batches. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 200, MOST = 1000 };

static void regions(void) {
    for (int i = 0; i < TIMES; ++i) {
#pragma omp parallel
        __asm__ volatile("");
    }
}

static void barriers(void) {
#pragma omp parallel
    for (int i = 0; i < TIMES; ++i) {
#pragma omp barrier
    }
}

static void tasks(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TIMES; ++i) {
#pragma omp task
        __asm__ volatile("");
    }
}

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void measure(const char* name, void (*run)(void), int batches) {
    static double times[MOST];
    run();
    for (int i = 0; i < batches; ++i) {
        const double begin = omp_get_wtime();
        run();
        times[i] = (omp_get_wtime() - begin) * 1e9 / TIMES;
    }
    qsort(times, (size_t)batches, sizeof *times, by_size);
    printf("%s %.1f\n", name, times[batches / 2]);
}

int main(int argc, char** argv) {
    int batches = argc > 1 ? atoi(argv[1]) : 101;
    if (batches < 1 || batches > MOST) return 2;
    measure("region", regions, batches);
    measure("barrier", barriers, batches);
    measure("task", tasks, batches);
    return 0;
}
