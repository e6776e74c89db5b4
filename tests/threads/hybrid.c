/* MPI and threads that never call it: one, or as many as the argument says, one after the other before
 * MPI_Init, and two next to MPI calls. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void* meet(void* argument) {
    pthread_barrier_wait(&barrier);
    return argument;
}

static void* nothing(void* argument) {
    return argument;
}

int main(int argc, char** argv) {
    pthread_t early, threads[2];
    for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; --i) {
        pthread_create(&early, NULL, nothing, NULL);
        pthread_join(early, NULL);
    }
    MPI_Init(&argc, &argv);
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, meet, NULL);
    pthread_setname_np(threads[0], "helper");
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
