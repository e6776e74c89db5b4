/* Costs of locks in the traced program, in ns, by lines NAME NS:
 *
 *     uncontended   lock and unlock of a mutex that is free; the median of short batches, with pauses between
 *     contended     the same while another thread does so all the time, and both hold it for 2 us
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { batches = 101, pairs = 20000, contended_batches = 21, contended_pairs = 1000, held_ns = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ends;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
static void hold(void) {
    for (int64_t since = now(); now() - since < held_ns;) {
    }
}
static int by_size(const void* a, const void* b) {
    double left = *(const double*)a, right = *(const double*)b;
    return (left > right) - (left < right);
}
static void print_median(const char* name, double* ns, int count) {
    qsort(ns, (size_t)count, sizeof *ns, by_size);
    printf("%s %.3f\n", name, ns[count / 2]);
}
static void uncontended(void) {
    double ns[batches];
    const struct timespec pause = {0, 5000000};
    for (int i = 0; i < batches; ++i) {
        int64_t begin = now();
        for (int j = 0; j < pairs; ++j) {
            pthread_mutex_lock(&mutex);
            pthread_mutex_unlock(&mutex);
        }
        ns[i] = (double)(now() - begin) / pairs;
        nanosleep(&pause, NULL);
    }
    print_median("uncontended", ns, batches);
}
static void* disturb(void* unused) {
    while (!atomic_load(&ends)) {
        pthread_mutex_lock(&mutex);
        hold();
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
static void contended(void) {
    double ns[contended_batches];
    pthread_t thread;
    if (pthread_create(&thread, NULL, disturb, NULL) != 0) abort();
    for (int i = 0; i < contended_batches; ++i) {
        int64_t begin = now();
        for (int j = 0; j < contended_pairs; ++j) {
            pthread_mutex_lock(&mutex);
            hold();
            pthread_mutex_unlock(&mutex);
        }
        ns[i] = (double)(now() - begin) / contended_pairs;
    }
    atomic_store(&ends, 1);
    pthread_join(thread, NULL);
    print_median("contended", ns, contended_batches);
}

static void* nothing(void* unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    /* From here on the process has had threads, which the C library knows. */
    if (pthread_create(&thread, NULL, nothing, NULL) != 0) abort();
    pthread_join(thread, NULL);
    uncontended();
    contended();
    return 0;
}
