/* Ten threads and a million locks, while others are cancelled in their waits and signals come. Prints counts
 * that are equal in every run. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { threads = 10, locks = 100000, cancelled = 300 };

static pthread_mutex_t mutexes[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static long counts[4];
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ticks;
static atomic_int cleaned;

static void tick(int signal) {
    (void)signal;
    sem_post(&ticks);
}
static void* count(void* unused) {
    (void)unused;
    for (int i = 0; i < locks; ++i) {
        int which = i / 16 % 4;
        pthread_mutex_lock(&mutexes[which]);
        ++counts[which];
        pthread_mutex_unlock(&mutexes[which]);
        if (i % 1024 == 0) sem_trywait(&ticks);
    }
    return NULL;
}
static void unlock(void* unused) {
    (void)unused;
    atomic_fetch_add(&cleaned, 1);
    pthread_mutex_unlock(&waiting);
}
static void* wait_for_ever(void* unused) {
    (void)unused;
    pthread_mutex_lock(&waiting);
    pthread_cleanup_push(unlock, NULL);
    for (;;) pthread_cond_wait(&never, &waiting);
    pthread_cleanup_pop(0);
    return NULL;
}
static void* cancel_many(void* unused) {
    (void)unused;
    long ended = 0;
    for (int i = 0; i < cancelled; ++i) {
        pthread_t thread;
        void* value = NULL;
        if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0) abort();
        if (i % 3 == 0) pthread_cond_broadcast(&never);
        pthread_cancel(thread);
        pthread_join(thread, &value);
        ended += value == PTHREAD_CANCELED;
    }
    return (void*)ended;
}

int main(void) {
    pthread_t all[threads], canceller;
    sem_init(&ticks, 0, 0);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 2000}, {0, 2000}}, no = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < threads; ++i)
        if (pthread_create(&all[i], NULL, count, NULL) != 0) abort();
    if (pthread_create(&canceller, NULL, cancel_many, NULL) != 0) abort();
    for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
    void* ended = NULL;
    pthread_join(canceller, &ended);
    setitimer(ITIMER_REAL, &no, NULL);
    printf("counted %ld\n", counts[0] + counts[1] + counts[2] + counts[3]);
    printf("cancelled %ld\n", (long)ended);
    printf("mutex is free %d\n", pthread_mutex_trylock(&waiting));
    return 0;
}
