/* Cases of conformance: small programs that print what the functions of POSIX threads return, in lines that
 * are equal in every run. A case is a function that calls show(). Nothing printed depends on time. */
#ifndef OVNI_TESTS_PTHREAD_CASES_H
#define OVNI_TESTS_PTHREAD_CASES_H

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct a_case {
    const char* name;
    void (*run)(void);
};

static const char* current_case = "";

static inline void show(const char* what, long result) {
    printf("%s: %s %ld\n", current_case, what, result);
    fflush(stdout);
}

static inline int run_cases(const struct a_case* cases, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        current_case = cases[i].name;
        cases[i].run();
    }
    return 0;
}

#define CASE(name) \
    { #name, name }
#define CASES(...)                                   \
    int main(void) {                                 \
        const struct a_case cases[] = {__VA_ARGS__}; \
        return run_cases(cases, COUNT(cases));       \
    }

static inline void nap(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0) {
    }
}

static inline struct timespec in(clockid_t clock, long milliseconds) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_sec += milliseconds / 1000 - 1;
    time.tv_nsec += 1000000000 + milliseconds % 1000 * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}
static inline struct timespec wrong_time(void) {
    struct timespec time = {0, 1000000000};
    return time;
}

static inline pthread_t started(void* (*function)(void*), void* argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument) != 0) abort();
    return thread;
}
/* 1 if the thread was cancelled. */
static inline int joined(pthread_t thread) {
    void* value = NULL;
    if (pthread_join(thread, &value) != 0) abort();
    return value == PTHREAD_CANCELED;
}

/* Becomes true within 20 seconds. */
static inline int becomes(atomic_int* flag, int value) {
    for (int i = 0; i < 20000; ++i) {
        if (atomic_load(flag) == value) return 1;
        nap(1);
    }
    return 0;
}

#endif
