/* A library that is unloaded: its lock has a name, and its destructor waits. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

pthread_mutex_t plugin_lock = PTHREAD_MUTEX_INITIALIZER;

static void* hold(void* barrier) {
    struct timespec moment = {0, 20000000};
    pthread_mutex_lock(&plugin_lock);
    pthread_barrier_wait(barrier);
    nanosleep(&moment, NULL);
    pthread_mutex_unlock(&plugin_lock);
    return NULL;
}

void wait_in_plugin(void) {
    pthread_t thread;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, hold, &barrier);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&plugin_lock);
    pthread_mutex_unlock(&plugin_lock);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
}

__attribute__((destructor)) static void end(void) {
    wait_in_plugin();
}
