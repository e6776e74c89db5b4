/* A layer on POSIX threads: counts locks and threads, and hands on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int locks, threads;

int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static int (*behind)(pthread_mutex_t*);
    if (!behind) behind = (int (*)(pthread_mutex_t*))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    __atomic_add_fetch(&locks, mutex->__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP, __ATOMIC_RELAXED);
    return behind(mutex);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) {
    typedef int Create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    ++threads;
    return ((Create*)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, function, argument);
}

__attribute__((destructor)) static void say(void) {
    if (getenv("LAYER_SAYS")) printf("%d recursive locks, %d threads\n", locks, threads);
}
