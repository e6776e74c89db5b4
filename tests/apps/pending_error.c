/* Leaves an error of the loader pending, calls a function for the first time, and asks for the error: prints
 * the names of the functions that have kept it. Knows nothing of tracing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave_error(void) {
    dlerror();
    dlopen("/of/no/library.so", RTLD_NOW);
}

static void ask(const char* function) {
    const char* error = dlerror();
    if (error && strstr(error, "/of/no/library.so")) printf("%s\n", function);
}

#define KEPT(function, arguments) leave_error(), (void)(function arguments), ask(#function)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

static void* hold_back(void* argument) {
    usleep(20000);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void contend(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    KEPT(pthread_create, (&thread, NULL, hold_back, NULL));
    KEPT(pthread_mutex_lock, (&mutex));
    KEPT(pthread_join, (thread, NULL));
}

int main(int argc, char** argv) {
    int number = 0, other = 0, flag = 0, size = 0;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Comm copy;
    MPI_Datatype pair;
    MPI_Request request;
    KEPT(MPI_Initialized, (&flag));
    KEPT(pthread_setname_np, (pthread_self(), "pending"));
    KEPT(prctl, (PR_SET_NAME, "error", 0L, 0L, 0L));
    KEPT(sem_init, (&semaphore, 0, 1));
    KEPT(sem_wait, (&semaphore));
    contend();
    MPI_Init(&argc, &argv);
    KEPT(MPI_Comm_rank, (MPI_COMM_WORLD, &number));
    KEPT(MPI_Comm_size, (MPI_COMM_WORLD, &size));
    KEPT(MPI_Barrier, (MPI_COMM_WORLD));
    KEPT(MPI_Allreduce, (&number, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    KEPT(MPI_Bcast, (&number, 1, MPI_INT, 0, MPI_COMM_WORLD));
    KEPT(MPI_Irecv, (&other, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    KEPT(MPI_Send, (&number, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    KEPT(MPI_Wait, (&request, MPI_STATUS_IGNORE));
    KEPT(MPI_Sendrecv,
         (&number, 1, MPI_INT, 0, 2, &other, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    KEPT(MPI_Comm_dup, (MPI_COMM_WORLD, &copy));
    KEPT(MPI_Comm_set_name, (copy, "copy"));
    KEPT(MPI_Comm_free, (&copy));
    KEPT(MPI_Type_contiguous, (2, MPI_INT, &pair));
    KEPT(MPI_Type_commit, (&pair));
    KEPT(MPI_Type_free, (&pair));
    KEPT(MPI_Wtime, ());
    KEPT(MPI_Pcontrol, (1, "region"));
    KEPT(MPI_Get_processor_name, (name, &size));
    KEPT(MPI_Finalized, (&flag));
    KEPT(MPI_Finalize, ());
    return 0;
}
