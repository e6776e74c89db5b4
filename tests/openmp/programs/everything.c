/* everything HOW COUNTS: MPI, OpenMP, POSIX threads, plugins, children, all at once, in rounds. HOW:
 *
 * - end: ends in order
 * - kill: sends itself SIGKILL amid a round
 * - exec: becomes itself, with HOW `end`, before MPI_Init
 *
 * COUNTS is a file: how many barriers of MPI this process has left so far. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { rounds = 5, short_threads = 100, locks = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void* add(void* argument) {
    for (int i = 0; i < locks; ++i) {
        pthread_mutex_lock(&lock);
        ++sum;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void make_short_threads(void) {
    pthread_t threads[10];
    const int at_once = sizeof threads / sizeof *threads;
    for (int i = 0; i < short_threads / at_once; ++i) {
        for (int k = 0; k < at_once; ++k)
            if (pthread_create(&threads[k], NULL, add, NULL) != 0) exit(8);
        for (int k = 0; k < at_once; ++k) pthread_join(threads[k], NULL);
    }
}

static void work_in_teams(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 30; ++i) {
#pragma omp critical
            ++sum;
        }
#pragma omp single
        {
#pragma omp task
            add(NULL);
        }
    }
}

static void* add_in_child(void* argument) {
    return add(argument);
}

/* The child has threads, too. */
static void have_child(void) {
    const pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, add_in_child, NULL);
        pthread_join(thread, NULL);
        _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 3) exit(7);
}

/* in_loader.so lies next to the program: its constructor makes a team. */
static void load_plugin(const char* path) {
    void* plugin = dlopen(path, RTLD_NOW);
    if (!plugin) exit(9);
    dlclose(plugin);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    if (strcmp(argv[1], "exec") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, add, NULL);
        pthread_join(thread, NULL);
        execl(argv[0], argv[0], "end", argv[2], argv[3], NULL);
        return 2;
    }
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", argv[2], rank);
    const int file = open(name, O_RDWR | O_CREAT, 0644);
    if (file < 0 || ftruncate(file, sizeof(long)) != 0) return 4;
    volatile long* left = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (int i = 0; i < rounds; ++i) {
        MPI_Pcontrol(1, "round");
        make_short_threads();
        work_in_teams();
        for (int k = 0; k < 100; ++k) {
            MPI_Barrier(MPI_COMM_WORLD);
            ++*left;
        }
        load_plugin(argv[3]);
        have_child();
        if (i == rounds - 2 && strcmp(argv[1], "kill") == 0) kill(getpid(), SIGKILL);
        MPI_Pcontrol(-1, "round");
    }
    printf("rank %d sum %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
