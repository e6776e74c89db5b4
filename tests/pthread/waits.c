/* Waits of known kinds, measured by the program itself around the calls. Prints a line for each wait:
 *
 *     KIND OBJECT TID HOLDER NANOSECONDS      holder 0: nobody can know
 *
 * Threads share the objects below by name. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t index_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t counter_spin;
static pthread_barrier_t phase_barrier;
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_condition = PTHREAD_COND_INITIALIZER;
static sem_t items;
static atomic_int step;
static atomic_int holder;
static int turn;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
static void nap(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0) {
    }
}
static void wait_for_step(int value) {
    while (atomic_load(&step) != value) nap(1);
}
#define MEASURE(kind, object, of, call)              \
    do {                                             \
        int64_t since = now();                       \
        call;                                        \
        int64_t until = now();                       \
        print_until(kind, object, of, since, until); \
    } while (0)
static void print_until(const char* kind, const char* object, int of, int64_t since, int64_t until) {
    printf("%s %s %d %d %lld\n", kind, object, gettid(), of, (long long)(until - since));
}

static void* hold_all(void* unused) {
    (void)unused;
    atomic_store(&holder, gettid());
    pthread_mutex_lock(&table_lock);
    atomic_store(&step, 1);
    nap(120);
    pthread_mutex_unlock(&table_lock);
    wait_for_step(2);
    pthread_rwlock_wrlock(&index_lock);
    atomic_store(&step, 3);
    nap(100);
    pthread_rwlock_unlock(&index_lock);
    wait_for_step(4);
    pthread_rwlock_rdlock(&index_lock);
    atomic_store(&step, 5);
    nap(80);
    pthread_rwlock_unlock(&index_lock);
    wait_for_step(6);
    pthread_spin_lock(&counter_spin);
    atomic_store(&step, 7);
    nap(60);
    pthread_spin_unlock(&counter_spin);
    nap(140);
    return NULL;
}
static void locks(void) {
    pthread_t thread;
    pthread_spin_init(&counter_spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, hold_all, NULL);
    wait_for_step(1);
    MEASURE("mutex", "table_lock", atomic_load(&holder), pthread_mutex_lock(&table_lock));
    pthread_mutex_unlock(&table_lock);
    atomic_store(&step, 2);
    wait_for_step(3);
    MEASURE("rwlock", "index_lock", atomic_load(&holder), pthread_rwlock_rdlock(&index_lock));
    pthread_rwlock_unlock(&index_lock);
    atomic_store(&step, 4);
    wait_for_step(5);
    MEASURE("rwlock", "index_lock", 0, pthread_rwlock_wrlock(&index_lock));
    pthread_rwlock_unlock(&index_lock);
    atomic_store(&step, 6);
    wait_for_step(7);
    MEASURE("spin", "counter_spin", 0, pthread_spin_lock(&counter_spin));
    pthread_spin_unlock(&counter_spin);
    char name[32];
    snprintf(name, sizeof name, "thread %d", atomic_load(&holder));
    MEASURE("thread", name, atomic_load(&holder), pthread_join(thread, NULL));
}

static void* arrive(void* milliseconds) {
    nap((long)(intptr_t)milliseconds);
    MEASURE("barrier", "phase_barrier", 0, pthread_barrier_wait(&phase_barrier));
    return NULL;
}
static void barrier(void) {
    pthread_t threads[3];
    pthread_barrier_init(&phase_barrier, NULL, 3);
    for (int i = 0; i < 3; ++i)
        pthread_create(&threads[i], NULL, arrive, (void*)(intptr_t)(i == 2 ? 150 : 10));
    for (int i = 0; i < 3; ++i) {
        while (pthread_tryjoin_np(threads[i], NULL) != 0) nap(5);
    }
}

static void* play(void* mine) {
    for (int i = 0; i < 5; ++i) {
        pthread_mutex_lock(&turn_lock);
        while (turn != (int)(intptr_t)mine)
            MEASURE("condition", "turn_condition", 0, pthread_cond_wait(&turn_condition, &turn_lock));
        nap(20);
        turn = !turn;
        pthread_cond_signal(&turn_condition);
        pthread_mutex_unlock(&turn_lock);
    }
    return NULL;
}
static void ping_pong(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, play, (void*)(intptr_t)i);
    for (int i = 0; i < 2; ++i) {
        while (pthread_tryjoin_np(threads[i], NULL) != 0) nap(5);
    }
}

static void* consume(void* unused) {
    (void)unused;
    for (int i = 0; i < 5; ++i) MEASURE("semaphore", "items", 0, sem_wait(&items));
    return NULL;
}
static void producer(void) {
    pthread_t thread;
    sem_init(&items, 0, 0);
    pthread_create(&thread, NULL, consume, NULL);
    for (int i = 0; i < 5; ++i) {
        nap(30);
        sem_post(&items);
    }
    while (pthread_tryjoin_np(thread, NULL) != 0) nap(5);
}

/* The C library gives the handle of the last thread to the next one. Main may come before the thread runs. */
static void* work(void* unused) {
    (void)unused;
    atomic_store(&holder, gettid());
    nap(60);
    return NULL;
}
static const char* name_of_joined(const char* name) {
    static char text[32];
    snprintf(text, sizeof text, "thread %d%s%s", atomic_load(&holder), *name ? " " : "", name);
    return text;
}
static void joins(void) {
    for (int i = 0; i < 3; ++i) {
        const char* name = i == 2 ? "worker" : "";
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        if (*name) pthread_setname_np(thread, name);
        MEASURE("thread", name_of_joined(name), atomic_load(&holder), pthread_join(thread, NULL));
    }
}

static pthread_once_t setup_once = PTHREAD_ONCE_INIT;
static void set_up(void) {
    atomic_store(&step, 8);
    nap(80);
}
static void* set_up_once(void* unused) {
    (void)unused;
    atomic_store(&holder, gettid());
    pthread_once(&setup_once, set_up);
    return NULL;
}
static void once(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set_up_once, NULL);
    wait_for_step(8);
    MEASURE("once", "setup_once", atomic_load(&holder), pthread_once(&setup_once, set_up));
    while (pthread_tryjoin_np(thread, NULL) != 0) nap(5);
}

int main(void) {
    locks();
    barrier();
    ping_pong();
    producer();
    joins();
    once();
    return 0;
}
