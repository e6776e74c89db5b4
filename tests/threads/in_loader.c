/* A library whose constructor waits for threads, one of which makes another: all within dlopen(). */
#include <pthread.h>

static void* nothing(void* argument) {
    return argument;
}

static void* make_another(void* argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
    return argument;
}

__attribute__((constructor)) static void wait_for_threads(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, make_another, NULL) == 0) pthread_join(thread, NULL);
}
