/* Ends while threads wait, as the first argument says: kill, exit, exec PROGRAM, fork, raw,
 * dlclose PLUGIN. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_int waiting;

static void nap(long milliseconds) {
    struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}
static void* wait_for_lock(void* unused) {
    (void)unused;
    atomic_fetch_add(&waiting, 1);
    pthread_mutex_lock(&held);
    return NULL;
}
static void* wait_for_condition(void* unused) {
    (void)unused;
    atomic_fetch_add(&waiting, 1);
    pthread_mutex_lock(&mutex);
    while (atomic_load(&waiting) >= 0) pthread_cond_wait(&never, &mutex);
    return NULL;
}
static void start_waiting(void) {
    pthread_t thread;
    pthread_mutex_lock(&held);
    pthread_create(&thread, NULL, wait_for_lock, NULL);
    pthread_create(&thread, NULL, wait_for_condition, NULL);
    while (atomic_load(&waiting) < 2) nap(1);
    nap(20);
}

/* The child has no other threads, and the lock that one of them held. */
static int in_child(void) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 1;
    atomic_store(&waiting, 0);
    pthread_mutex_init(&mutex, NULL);
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, wait_for_condition, NULL);
    nap(20);
    pthread_mutex_unlock(&mutex);
    nap(20);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return pthread_mutex_timedlock(&held, &soon);
}
static void* fork_here(void* unused) {
    (void)unused;
    int status = 0;
    pid_t child = fork();
    if (child == 0) exit(in_child() != 0 ? 7 : 8);
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    return NULL;
}

/* The C library knows nothing of the child. */
static void* hold_for_a_while(void* unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    atomic_store(&waiting, 1);
    nap(50);
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void wait_for_holder(void) {
    pthread_t thread;
    atomic_store(&waiting, 0);
    pthread_create(&thread, NULL, hold_for_a_while, NULL);
    while (atomic_load(&waiting) == 0) nap(1);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}
static int fork_raw(void) {
    wait_for_holder();
    int status = 0;
    pid_t child = (pid_t)syscall(SYS_fork);
    if (child == 0) {
        wait_for_holder();
        exit(0);
    }
    waitpid(child, &status, 0);
    printf("%d\n", child);
    return status;
}

static int use_plugin(const char* path) {
    for (int i = 0; i < 2; ++i) {
        void* plugin = dlopen(path, RTLD_NOW);
        if (!plugin) return 1;
        void (*wait)(void) = (void (*)(void))dlsym(plugin, "wait_in_plugin");
        wait();
        if (dlclose(plugin) != 0) return 1;
    }
    return 0;
}

int main(int count, char** words) {
    if (count < 2) return 2;
    if (strcmp(words[1], "dlclose") == 0) return use_plugin(words[2]);
    if (strcmp(words[1], "raw") == 0) return fork_raw();
    start_waiting();
    if (strcmp(words[1], "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(words[1], "exec") == 0) execv(words[2], words + 2);
    if (strcmp(words[1], "fork") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, fork_here, NULL);
        pthread_join(thread, NULL);
    }
    return 5;
}
