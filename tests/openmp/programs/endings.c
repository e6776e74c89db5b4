/* endings HOW [DIRECTORY]: ends in the middle of OpenMP constructs. HOW:
 *
 * - kill: thread 1 sends SIGKILL to the process in a task, while others wait in a barrier
 * - exit: thread 0 calls exit(7) while others wait in a barrier
 * - fork: forks between regions; the parent makes regions, and built by clang the child, too (libgomp would
 * wait for threads that the child has not); the child's status is 3
 * - inside: the program ends MPI inside of a region while the other threads wait
 * - pause: stops and resumes recording inside and outside of regions
 * - late: makes regions before MPI_Init and after MPI_Finalize
 * - loading: loads a library whose constructor makes regions */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int regions(int times) {
    int sum = 0;
    for (int i = 0; i < times; ++i) {
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
        for (int k = 0; k < 100; ++k) sum += k;
    }
    return sum;
}

static void end_amid(int by_kill) {
    regions(5);
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        regions(1);
        if (omp_get_thread_num() == 1) {
#pragma omp task if (0)
            {
                usleep(50000);
                if (by_kill)
                    kill(getpid(), SIGKILL);
                else
                    exit(7);
            }
        }
#pragma omp barrier
    }
}

static int fork_between(void) {
    regions(3);
    const pid_t child = fork();
#ifndef __clang__
    if (child == 0) _exit(3);
#endif
    const int sum = regions(3);
    if (child == 0) _exit(sum == 3 * 4950 ? 3 : 4);
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d sum %d\n", WEXITSTATUS(status), sum);
    return 0;
}

static void inside(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        {
            usleep(20000);
            MPI_Finalize();
        }
#pragma omp barrier
    }
}

static void pause_recording(void) {
    regions(2);
    MPI_Pcontrol(0);
    regions(2);
    MPI_Pcontrol(1, NULL);
    regions(2);
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 300; ++i) {
            if (i == 100) MPI_Pcontrol(0);
            if (i == 200) MPI_Pcontrol(1, NULL);
#pragma omp task
            usleep(10);
        }
        if (omp_get_thread_num() == 1) MPI_Pcontrol(0);
    }
    regions(1);
    MPI_Pcontrol(1, NULL);
    regions(1);
}

/* in_loader.so lies next to the program, built by the same compiler. */
static void load(void) {
    char path[4096];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 32);
    if (size < 0) exit(8);
    path[size] = 0;
    char* name = strstr(path, "endings_");
    if (!name) exit(8);
    char compiler[16];
    strcpy(compiler, name + strlen("endings_"));
    sprintf(name, "in_loader_%s.so", compiler);
    if (!dlopen(path, RTLD_NOW)) exit(9);
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "late") == 0) regions(3);
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (strcmp(how, "loading") == 0) load();
    if (strcmp(how, "kill") == 0) end_amid(1);
    if (strcmp(how, "exit") == 0) end_amid(0);
    if (strcmp(how, "fork") == 0) fork_between();
    if (strcmp(how, "pause") == 0) pause_recording();
    if (strcmp(how, "late") == 0) regions(3);
    if (strcmp(how, "inside") == 0)
        inside();
    else
        MPI_Finalize();
    printf("sum %d\n", regions(3));
    return 0;
}
