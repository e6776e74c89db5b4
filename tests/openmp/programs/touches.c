/* touches: thread t of a team of 3 touches (t + 1) * 300 new pages, in two regions. No thread calls MPI.
 * Writes a line "tid faults" per thread. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { team = 3, page = 4096 };
static long faults[team];
static int tids[team];

static long faults_of_thread(void) {
    struct rusage use;
    getrusage(RUSAGE_THREAD, &use);
    return use.ru_minflt + use.ru_majflt;
}

static void touch(int pages) {
    const size_t bytes = (size_t)pages * page;
    volatile char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void*)memory, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += page) memory[i] = 1;
    munmap((void*)memory, bytes);
}

int main(void) {
    for (int time = 0; time < 2; ++time) {
#pragma omp parallel num_threads(team)
        {
            const int thread = omp_get_thread_num();
            const long before = faults_of_thread();
            touch((thread + 1) * 300);
            faults[thread] += faults_of_thread() - before;
            tids[thread] = gettid();
        }
    }
    for (int thread = 0; thread < team; ++thread) printf("%d %ld\n", tids[thread], faults[thread]);
    return 0;
}
